import { expect, it } from 'vitest';
import { HYBRID_MINUTES, isStricter, strictest } from './review-policy.js';

it('of several review policies the strictest holds, and of two that let people object the one with more time', () => {
  const [agents, people] = [{ policy: 'AgentApproval' }, { policy: 'HumanRequired' }] as const;
  const hybrid = (minutes?: number) => ({ policy: 'Hybrid' as const, ...(minutes === undefined ? {} : { minutes }) });
  expect(strictest(agents, hybrid(), people, hybrid(90))).toBe(people);
  expect(strictest(agents, hybrid(2), agents)).toEqual(hybrid(2));
  expect(strictest(hybrid(10), hybrid(90), hybrid(20))).toEqual(hybrid(90));
  // Where no time was said, it is the usual one.
  expect(strictest(hybrid(HYBRID_MINUTES - 1), hybrid())).toEqual(hybrid());
  expect(strictest(hybrid(HYBRID_MINUTES + 1), hybrid())).toEqual(hybrid(HYBRID_MINUTES + 1));
  for (const one of [agents, hybrid(), people]) expect(isStricter(one, one)).toBe(false);
});
