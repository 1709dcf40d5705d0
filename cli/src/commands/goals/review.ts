import { ask } from '../../people/ask.js';
import { proposalMeant } from '../../people/proposals.js';
import { landing } from '../../people/landing.js';
import { type Check, reviewText } from '../../people/review-text.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';
import { shortId } from '../../studio/event-text.js';

export const review = cliCommand({
  operands: ['proposal?'],
  flags: {
    reject: { summary: 'Reject it without asking, and say why: the work is done again.', value: 'why' },
    comment: { summary: 'Say what the work should keep to from here on, without deciding.', value: 'text' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ reject, comment, json, ...given }, terminal, [wanted]) => {
  if (reject !== undefined && comment !== undefined)
    throw new UsageError('--reject and --comment are two answers: give one');
  const client = new StudioClient(given, terminal);
  const proposal = await proposalMeant(client, wanted);
  const { proposalId } = proposal;
  const id = shortId(proposalId);
  const said = async (notes: string): Promise<void> => {
    await client.call('merge.review', { proposalId, decision: 'Rejected', notes });
    terminal.out(`${id} is rejected, and the work is done again with your reason`);
  };
  const remarked = async (feedback: string): Promise<void> => {
    const goalId = proposal.goalId === undefined ? {} : { goalId: proposal.goalId };
    await client.call('external-result.recordFeedback', { title: `About ${id}`, feedback, ...goalId });
    terminal.out('the work on this goal is told');
  };
  if (reject !== undefined) return said(reject);
  if (comment !== undefined) return remarked(comment);
  const checks = proposal.workUnitId === undefined ? [] : await evidenceOf(client, proposal.workUnitId);
  if (json) return terminal.out(JSON.stringify({ ...proposal, evidence: checks }));
  await terminal.page(reviewText(proposal, checks, terminal));
  if (proposal.action === undefined)
    return terminal.out(`${id} is ${proposal.status}: nothing is to be decided about it`);
  if (!terminal.canAsk)
    return terminal.out(`weft approve ${id} lands it, weft review ${id} --reject "<why>" has it done again`);
  for (;;) {
    const answer = await ask(terminal, 'Land it? [y]es, [n]o, [c]omment, [l]ater');
    if (/^(y|yes)$/i.test(answer)) return landing(client, proposalId, terminal);
    if (/^(n|no)$/i.test(answer)) {
      const why = await ask(terminal, 'Why not? The work is done again with your reason.');
      if (why !== '') return said(why);
    } else if (/^(c|comment)$/i.test(answer)) {
      const text = await ask(terminal, 'What should the work keep to?');
      if (text !== '') await remarked(text);
    } else return terminal.out(`nothing was decided; weft review ${id} asks again`);
  }
});

async function evidenceOf(client: StudioClient, workUnitId: string): Promise<readonly Check[]> {
  return (await client.call<{ evidence: Check[] }>('evidence.list', { workUnitId })).evidence;
}
