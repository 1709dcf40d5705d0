/** Memories of repositories: what later work there is told, proposed by agents and confirmed by people. */
import { z } from 'zod';
import { MEMORY_STATUSES, type Memory as Stored, memory } from '../../record/aggregates/memory/memory.js';
import { proposeMemory } from '../../rules/knowledge/memories.js';
import { repositoryMeant } from '../branches/repository-meant.js';
import { RepositoryId } from '../branches/repository-shape.js';
import { operation } from '../kernel/define.js';
import { MemoryText } from './memory-shape.js';
import { ENDS, READS, SETS } from '../kernel/hints.js';

const MemoryId = z.string().min(1).max(100).describe('Id of the memory.');
const Notes = z.string().max(1000);

const Memory = z
  .object({
    memoryId: z.string().describe('Id of the memory.'),
    repositoryId: z.string().describe('Repository that it is about.'),
    text: z.string().describe('What later work is told.'),
    why: z.string().optional().describe('What it was proposed for.'),
    status: z.enum(MEMORY_STATUSES).describe('What became of it; Confirmed ones are told.'),
    version: z.number().describe('How often its text was confirmed.'),
    workUnitId: z.string().optional().describe('Work that it comes from. Absent: a person.'),
    agentId: z.string().optional().describe('Agent that proposed it.'),
    proposedAt: z.string().describe('When it was proposed, ISO 8601.'),
    decidedAt: z.string().optional().describe('When a person last decided about it, ISO 8601.'),
    notes: z.string().optional().describe('Why it was refused.'),
  })
  .meta({ id: 'Memory', description: 'Something that later work on a repository should know.' });

export const list = operation({
  summary: 'List what is remembered of repositories, and what agents propose to remember.',
  scope: 'read',
  in: z.object({
    repositoryId: RepositoryId.optional().describe('Only those of this repository.'),
    status: z.enum(MEMORY_STATUSES).optional().describe('Only those of this state.'),
  }),
  out: z.array(Memory),
  rest: { route: 'GET /studio/memories', query: ['repositoryId', 'status'] },
  tool: 'memory_list',
  list: 'memoryId',
  refuses: [],
  annotations: READS,
}).run(({ records: { memories } }, { repositoryId, status }) =>
  (repositoryId === undefined ? memories.all() : memories.where('repository', repositoryId))
    .filter((one) => status === undefined || one.status === status)
    .map((one): Stored => one),
);

export const add = operation({
  summary: 'Have later work on a repository remember something. What a person says needs no confirmation.',
  scope: 'operate',
  in: z.object({
    text: MemoryText.describe('What later work is told.'),
    repositoryId: RepositoryId.optional().describe('The repository. Default: the only one that is registered.'),
  }),
  out: Memory,
  rest: { route: 'POST /studio/memories' },
  tool: 'memory_add',
  human: true,
  refuses: ['reject.repository_needed', 'reject.repository_not_found'],
  annotations: SETS,
}).run((context, { text, repositoryId }) =>
  context.answer((change) => {
    const { records } = context;
    const { memoryId } = proposeMemory(change, records, { text, repositoryId: repositoryMeant(records, repositoryId) });
    return change.run(memory, memoryId, 'confirm', {});
  }),
);

export const confirm = operation({
  summary: 'Have later work told of a memory, in its own words or in yours. One that stands is changed so.',
  scope: 'operate',
  in: z.object({ memoryId: MemoryId, text: MemoryText.optional().describe('Words in place of its own.') }),
  out: Memory,
  rest: { route: 'POST /studio/memories/{memoryId}/confirm' },
  tool: 'memory_confirm',
  human: true,
  refuses: ['reject.memory_not_found'],
  annotations: SETS,
}).run((context, { memoryId, text }) => context.answer((change) => change.run(memory, memoryId, 'confirm', { text })));

export const refuse = operation({
  summary: 'Refuse a memory that an agent proposes. It is not proposed in the same words again.',
  scope: 'operate',
  in: z.object({ memoryId: MemoryId, notes: Notes.optional().describe('Why.') }),
  out: Memory,
  rest: { route: 'POST /studio/memories/{memoryId}/refuse' },
  tool: 'memory_refuse',
  human: true,
  refuses: ['reject.memory_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { memoryId, notes }) => context.answer((change) => change.run(memory, memoryId, 'refuse', { notes })));

export const remove = operation({
  summary: 'Have later work told of a memory no more. It stays in the record, and can be confirmed again.',
  scope: 'operate',
  in: z.object({ memoryId: MemoryId }),
  out: Memory,
  rest: { route: 'DELETE /studio/memories/{memoryId}' },
  tool: 'memory_remove',
  human: true,
  refuses: ['reject.memory_not_found'],
  annotations: ENDS,
}).run((context, { memoryId }) => context.answer((change) => change.run(memory, memoryId, 'remove', {})));
