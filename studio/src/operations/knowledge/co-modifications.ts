/** Co-modification: files that change together, as the proposals of a repository show. */
import { z } from 'zod';
import { coModifications, touchedFiles } from '../../rules/knowledge/co-modification.js';
import type { Records } from '../../record/views/records.js';
import { proposalsOf } from '../../record/views/proposals.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { repositoryMeant } from '../branches/repository-meant.js';
import { CoModifications } from './finding-shape.js';
import { RepositoryId } from '../branches/repository-shape.js';

const repositoryId = RepositoryId.optional().describe('The repository. Default: the only one that is registered.');

export const compute = operation({
  summary: 'Compute which files change together.',
  scope: 'operate',
  in: z.object({ repositoryId }),
  out: CoModifications,
  rest: { route: 'POST /studio/comod/compute' },
  refuses: ['reject.repository_needed', 'reject.repository_not_found'],
  annotations: SETS,
}).run(({ records }, { repositoryId }) => patternsOf(records, repositoryId, 0));

export const list = operation({
  summary: 'Say which files change together, as of now.',
  scope: 'read',
  in: z.object({
    repositoryId,
    minConfidence: z.number().min(0).max(1).default(0).describe('Leaves out pairs that are less sure.'),
  }),
  out: CoModifications,
  rest: { route: 'GET /studio/comod', query: ['repositoryId', 'minConfidence'] },
  refuses: ['reject.repository_needed', 'reject.repository_not_found'],
  annotations: READS,
}).run(({ records }, { repositoryId, minConfidence }) => patternsOf(records, repositoryId, minConfidence));

function patternsOf(records: Records, wanted: string | undefined, minConfidence: number) {
  const repositoryId = repositoryMeant(records, wanted);
  const isMeant = (id: string): boolean => records.workUnits.get(id)?.repositoryId === repositoryId;
  const all = coModifications(touchedFiles(proposalsOf(records), isMeant));
  const patterns = all.filter(({ confidence }) => confidence >= minConfidence);
  return { repositoryId, patternCount: patterns.length, patterns };
}
