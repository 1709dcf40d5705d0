/** File leases: files that one unit of a goal holds while others wait for them. */
import { z } from 'zod';
import { leaseEnds } from '../../record/aggregates/file-lease/file-lease.js';
import { leaseId, releaseFiles } from '../../rules/queue/file-leases.js';
import { operation } from '../kernel/define.js';
import { ENDS, READS } from '../kernel/hints.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const list = operation({
  summary: 'List the files that are held, and who waits for them.',
  scope: 'read',
  in: z.object({}),
  out: z.array(
    z
      .object({
        leaseId: z.string().describe('Names the file within its goal.'),
        goalId: z.string().describe('Goal within which it is held.'),
        path: z.string().describe('The file.'),
        holderWorkUnitId: z.string().describe('Work unit that may change it.'),
        until: z
          .string()
          .nullable()
          .describe('When it goes to the next that waits, unless its holder writes it until then, ISO 8601; or null.'),
        waitQueue: z.array(z.string()).describe('Work units that wait for it; the first has it next.'),
      })
      .meta({ id: 'FileLease', description: 'A file that one unit holds.' }),
  ),
  rest: { route: 'GET /studio/file-leases' },
  list: 'leaseId',
  refuses: [],
  annotations: READS,
}).run(({ records }) =>
  records.fileLeases.all().flatMap((lease) => {
    const { goalId, path, holderWorkUnitId, waitQueue } = lease;
    if (holderWorkUnitId === undefined) return [];
    const ends = leaseEnds(lease);
    const until = ends === undefined ? null : new Date(ends).toISOString();
    return { leaseId: leaseId(goalId, path), goalId, path, holderWorkUnitId, until, waitQueue: [...waitQueue] };
  }),
);

export const release = operation({
  summary: 'Take away all files that a work unit holds or waits for. Whoever waits for them goes on.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    promotedWorkUnitIds: z.array(z.string()).describe('Work units that hold their file now.'),
  }),
  rest: { route: 'POST /studio/file-leases/release' },
  human: true,
  refuses: [],
  annotations: ENDS,
}).run((context, { workUnitId }) =>
  context.answer((change) => ({ workUnitId, promotedWorkUnitIds: releaseFiles(change, context.records, workUnitId) })),
);
