/** Findings: what the record of work seems to teach. */
import { z } from 'zod';
import { FINDING_STATUSES, type Verdict } from '../../record/aggregates/finding/finding.js';
import { coModifications, touchedFiles } from '../../rules/knowledge/co-modification.js';
import { detectFindings, findingIdOf, isLookedAt } from '../../rules/knowledge/detect-findings.js';
import { reportFindings, reviewFinding } from '../../rules/knowledge/findings.js';
import { numbersAbout } from '../../rules/knowledge/timeline.js';
import { inTurns } from '../../record/ledger/in-turns.js';
import { refusal } from '../../reasons.js';
import { proposalsOf } from '../../record/views/proposals.js';
import { scanMaterial } from '../../projections/scan-material.js';
import { sourcesOf } from '../../projections/sources.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { Finding, FindingId, FindingKind, TargetStage } from './finding-shape.js';
import { modelFields } from '../agents/model-choice-shape.js';

/** Verdicts by their spellings. */
const VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ['promote', 'Promoted'],
  ['promoted', 'Promoted'],
  ['dismiss', 'Dismissed'],
  ['dismissed', 'Dismissed'],
  ['investigate', 'Investigating'],
  ['investigating', 'Investigating'],
]);

export const list = operation({
  summary: 'List the findings, oldest first.',
  scope: 'read',
  in: z.object({ status: z.enum(FINDING_STATUSES).optional().describe('Only those of which this was made.') }),
  out: z.array(Finding),
  rest: { route: 'GET /studio/findings', query: ['status'] },
  list: 'findingId',
  refuses: [],
  annotations: READS,
}).run(({ records }, { status }) =>
  status === undefined ? records.findings.all() : records.findings.where('status', status),
);

export const review = operation({
  summary: 'Decide what becomes of a finding. A guideline that is promoted becomes a constraint for all work.',
  scope: 'operate',
  in: z.object({
    findingId: FindingId,
    decision: z.string().min(1).max(20).describe('promote, dismiss or investigating; Promoted and the like, too.'),
    notes: z.string().max(10_000).optional().describe('Why.'),
  }),
  out: Finding,
  rest: { route: 'POST /studio/findings/{findingId}/review' },
  human: true,
  version: ({ findings }, { findingId }) => findings.version(findingId) || undefined,
  refuses: ['reject.finding_not_found', 'reject.invalid_input'],
  annotations: SETS,
}).run((context, { findingId, decision: said, notes }) => {
  const decision = VERDICTS.get(said.toLowerCase());
  if (!decision)
    throw refusal('reject.invalid_input', `decision: ${said} is none of promote, dismiss, investigating`, [
      { field: 'decision', message: 'must be promote, dismiss or investigating' },
    ]);
  return context.answer((change) => reviewFinding(change, context.records, findingId, { decision, notes }));
});

export const imported = operation({
  summary: 'Take over findings from elsewhere, to be reviewed here. What is known already is skipped.',
  scope: 'operate',
  in: z.object({
    findings: z
      .array(
        z.object({
          kind: FindingKind,
          title: z.string().min(1).max(1000).describe('What was found, in one line.'),
          summary: z.string().min(1).max(100_000).describe('What was found, whole.'),
          targetStage: TargetStage.optional(),
        }),
      )
      .max(1000)
      .describe('The findings.'),
  }),
  out: z.object({
    imported: z.array(Finding).describe('Those that are new here.'),
    skipped: z.number().describe('How many were known.'),
  }),
  rest: { route: 'POST /studio/findings/import' },
  human: true,
  refuses: [],
  annotations: SETS,
}).run((context, { findings }) =>
  context.answer((change) => {
    const given = findings.map((one) => {
      const findingId = findingIdOf('imported', one.kind, one.title, one.summary, one.targetStage ?? '');
      return { ...one, findingId, source: 'Imported' as const };
    });
    const fresh = reportFindings(change, given);
    return { imported: fresh, skipped: findings.length - fresh.length };
  }),
);

export const detect = operation({
  summary: 'Look for patterns in the record of work, without a model. What was found before is not found again.',
  scope: 'operate',
  in: z.object({}),
  out: z.array(Finding),
  rest: { route: 'POST /studio/insights/detect-findings' },
  refuses: [],
  annotations: SETS,
}).run(async (context) => {
  const { records, feed } = context;
  // The whole log is read before the change, because a change blocks all others.
  const happened = await inTurns(numbersAbout(feed, records, {}), (number) => {
    const { event } = feed.get(number)!.stored;
    return isLookedAt(event) ? [event] : [];
  });
  return context.answer((change) => {
    const pairs = coModifications(touchedFiles(proposalsOf(records), () => true));
    return reportFindings(change, detectFindings(happened.flat(), pairs));
  });
});

export const scan = operation({
  summary: 'Have a model read the record of work and say what it teaches. What was found before is not found again.',
  scope: 'operate',
  in: z.object({ ...modelFields, provider: z.string().min(1).max(200).describe('Provider of the model.') }),
  out: z.object({
    findings: z.array(Finding).describe('Those that are new.'),
    rawCliOutput: z.string().nullable().describe('What a program said, whole. Null for a model behind HTTP.'),
  }),
  rest: { route: 'POST /studio/insights/llm-scan' },
  human: true,
  refuses: ['reject.model_unavailable', 'reject.model_refused'],
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
}).run(async (context, choice) => {
  const { provider, model = '' } = choice;
  const { findings, text, isProgram } = await context.models.scan(choice, scanMaterial(sourcesOf(context)));
  const supportingDataJson = JSON.stringify({ provider, model });
  return context.answer((change) => ({
    findings: reportFindings(
      change,
      findings.map((one) => {
        const findingId = findingIdOf('model', one.kind, one.title, one.targetStage ?? '');
        return { findingId, source: 'LlmScan' as const, ...one, supportingDataJson };
      }),
    ),
    rawCliOutput: isProgram ? text : null,
  }));
});
