/** Intents: what agents are about to change. */
import { z } from 'zod';
import { recordIntent } from '../../rules/queue/intents.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { Intent } from './intent-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const record = operation({
  summary: 'Say what is about to be changed, so that others can see it.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    targetPath: z.string().min(1).max(4096).describe('File that is about to be changed.'),
    intentType: z.string().min(1).max(100).default('modify').describe('What is about to be done.'),
    regionDescriptor: z.string().max(4000).optional().describe('Part of the file.'),
    baseSnapshotHash: z.string().max(200).optional().describe('What the file is now.'),
  }),
  out: z.object({ intentId: z.string().describe('Id of the intent.') }),
  tool: 'intent_record',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.path_outside_repository'],
  annotations: ADDS,
}).run((context, intended) => context.answer((change) => recordIntent(change, context.records, intended)));

export const list = operation({
  summary: 'List what a work unit is about to change, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(Intent),
  rest: { route: 'GET /studio/workunits/{workUnitId}/intents' },
  list: 'intentId',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId }) => records.intents.where('workUnit', unitOf(records, workUnitId).workUnitId));
