/** Tool with which agents propose what later work on their repository should know. A person decides. */
import { z } from 'zod';
import { proposeMemory } from '../../rules/knowledge/memories.js';
import { repositoryMeant } from '../branches/repository-meant.js';
import { operation } from '../kernel/define.js';
import { SETS } from '../kernel/hints.js';
import { MemoryText } from '../knowledge/memory-shape.js';
import { OWN_TOOL_REFUSALS, Told, ownWork } from './own-work.js';

export const remember = operation({
  summary:
    'Propose one lasting fact about this repository that later work should know and its files do not say, such as what the tests need. ' +
    'A person confirms it first.',
  scope: 'operate',
  in: z.object({
    text: MemoryText.describe('The fact, in one or two sentences that stand by themselves.'),
    why: z.string().trim().min(1).max(1000).optional().describe('How you know it, for the person who decides.'),
  }),
  out: Told,
  tool: 'remember',
  dispatch: true,
  refuses: [...OWN_TOOL_REFUSALS, 'reject.too_many_memories'],
  annotations: SETS,
}).run(async (context, { text, why }) => {
  const { unit } = await ownWork(context);
  const { agentId } = context.caller;
  const { workUnitId } = unit;
  return context.answer((change) => {
    const repositoryId = repositoryMeant(context.records, unit.repositoryId);
    const { memoryId, status } = proposeMemory(change, context.records, {
      text,
      repositoryId,
      workUnitId,
      ...(why === undefined ? {} : { why }),
      ...(agentId === undefined ? {} : { agentId }),
    });
    return { text: `${memoryId}: ${SAID[status]}` };
  });
});

const SAID = {
  Proposed: 'a person will confirm or refuse it; go on',
  Confirmed: 'it is remembered already',
  Refused: 'a person has refused it before; go on without it',
  Removed: 'a person has taken it away; go on without it',
} as const;
