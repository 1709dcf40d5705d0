/** Tool with which an agent hands in its review: what it found, by file and line, and what it ran. */
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import { proposalOf } from '../../record/views/by-id.js';
import { branchFiles } from '../../rules/branches/files.js';
import { Finding, findingsText, wrongFinding } from '../../rules/proposals/findings.js';
import { operation } from '../kernel/define.js';
import { ENDS } from '../kernel/hints.js';
import { decide } from '../proposals/decide.js';
import { OWN_TOOL_REFUSALS, Told, ownWork } from './own-work.js';

export const review = operation({
  summary:
    'Hand in the review, which ends it: the decision, each finding with file and line, and what was run. Rejected work goes back, with the findings, to be done anew.',
  scope: 'operate',
  in: z.object({
    proposalId: z.string().min(1).max(200).optional().describe('Proposal that is reviewed. Default: the one at hand.'),
    decision: z.enum(['Approved', 'Rejected']).describe('What was decided.'),
    findings: z
      .array(Finding)
      .max(100)
      .describe('All findings, the lesser ones too. Empty when there are none; a rejection has one at least.'),
    verificationResults: z
      .string()
      .min(1)
      .max(100_000)
      .describe(
        'For each criterion met, not met or not shown, with the evidence; what was run and what came of it; what could not be checked.',
      ),
  }),
  out: Told,
  tool: 'review',
  dispatch: true,
  refuses: [
    ...OWN_TOOL_REFUSALS,
    ...(['reject.own_proposal', 'reject.proposal_not_found', 'reject.busy', 'reject.invalid_input'] as const),
  ],
  annotations: ENDS,
}).run(async (context, { proposalId, decision, findings, verificationResults }) => {
  const { records, caller } = context;
  if (proposalId === undefined)
    throw refusal('reject.proposal_not_found', 'there is no proposal of this work to review');
  const { agentId: author, filesTouched } = proposalOf(records, proposalId);
  if (author !== undefined && author === caller.agentId)
    throw refusal('reject.own_proposal', `${proposalId} is your own; another has to review it`, { proposalId });
  const { branch } = await ownWork(context);
  const files = new Set([...(await branchFiles(context, branch)), ...filesTouched]);
  const wrong = wrongFinding({ decision, findings, files });
  if (wrong !== undefined) throw refusal('reject.invalid_input', wrong, [{ field: 'findings', message: wrong }]);
  const notes = findingsText(findings);
  const said = {
    by: caller.name,
    automated: true,
    verificationResults,
    ...(notes === '' ? {} : { notes }),
    consideredArtifactIds: [],
    restartMode: 'Revise' as const,
  };
  return context.answer((change) => {
    const { status } = decide(change, records, proposalId, { decision, ...said });
    return { text: `${proposalId} is ${status}.` };
  });
});
