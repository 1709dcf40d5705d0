/** Transcripts: all that was said in some work, as one file. */
import { z } from 'zod';
import { TRANSCRIPT_FORMATS, transcriptOf } from '../../projections/transcript.js';
import { unitOf } from '../../record/views/by-id.js';
import { treeOf } from '../../rules/goals/tree.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { ConversationLogEntry, turnsOf } from './conversation-shape.js';
import { WorkUnitId } from './work-unit-shape.js';

/** Characters of one transcript. */
const MOST = 8 << 20;

export const get = operation({
  summary: 'Give all that agents were told, said, called and were answered for a work unit, as the text of one file.',
  scope: 'read',
  in: z.object({
    workUnitId: WorkUnitId,
    format: z.enum(TRANSCRIPT_FORMATS).default('markdown').describe('Markdown, for people; or JSON, for programs.'),
    parts: z.boolean().default(false).describe('Whether the work that it was divided into is in it, too.'),
  }),
  out: z.object({
    fileName: z.string().describe('Name that the file may have.'),
    text: z.string().describe('What is in it.'),
    leftOut: z.number().describe('Last turns for which there was no room. Mostly 0.'),
  }),
  rest: { route: 'GET /studio/workunits/{workUnitId}/transcript', query: ['format', 'parts'] },
  tool: 'transcript_get',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records }, { workUnitId, format, parts }) => {
  const units = parts ? treeOf(records, workUnitId) : [unitOf(records, workUnitId)];
  const works = units.map(({ workUnitId: id, goal, status }) => {
    const turns = turnsOf(records, id).map((turn) => ConversationLogEntry.parse(turn));
    return { workUnitId: id, goal, status, turns };
  });
  const fileName = `${workUnitId}.${format === 'json' ? 'json' : 'md'}`;
  return { fileName, ...transcriptOf(works, format, MOST) };
});
