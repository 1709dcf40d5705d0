import { expect, it } from 'vitest';
import { attack, canaryOfAnAdministrator } from './adversaries.js';

it.each(['stranger', 'member'] as const)('a %s learns nothing and changes nothing by 1,500 hostile frames', (kind) =>
  attack(kind, 1, 1500),
);

it('whoever may read everything is sent a canary, and it is found', async () => {
  expect(await canaryOfAnAdministrator()).toMatch(/^pack: /);
});
