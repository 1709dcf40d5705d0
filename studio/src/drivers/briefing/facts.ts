/**
 * Briefing: facts from the record, each with an id. An agent is sent the facts that are not in its conversation yet, so the
 * first message, a person's answer and a correction are all made the same way.
 */
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { isInForce } from '../../record/aggregates/artifact/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { constraintsFor } from '../../rules/knowledge/constraints.js';
import { queryArtifacts } from '../../rules/knowledge/artifacts.js';
import { collisionsOf, otherSide } from '../../rules/queue/collisions.js';
import type { Records } from '../../record/views/records.js';
import { toWellFormed } from '../../models/question.js';
import { type Fact, beginning, named } from './fact.js';
import { taskSection } from './task.js';
import { wholeSection } from './whole.js';

/** Characters of one fact: a goal may have as many. */
const LONGEST = 101_000;

export function factsFor(records: Records, unit: WorkUnit): Fact[] {
  const { workUnitId, metadata = {}, dependsOn } = unit;
  const notes = Object.entries(metadata).filter(([key]) => !HIDDEN.has(key));
  return [
    ...taskSection(records, unit),
    ...wholeSection(records, unit),
    ...notes.map(([key, text]) => named('note', `${titleOf(key)}\n${text}`)),
    ...constraintsFor(records, workUnitId).map(({ artifactId, title = '', body = '' }) => ({
      id: artifactId,
      text: `Constraint: ${title}\n${body}`,
    })),
    ...dependsOn.flatMap((id) => outcomesOf(records, id)),
    ...queryArtifacts(records, workUnitId)
      .filter((one) => (one.type === 'Research' || one.type === 'Decision') && isInForce(one))
      .map(({ artifactId, type, title = '', body = '' }) => ({ id: artifactId, text: `${type}: ${title}\n${body}` })),
    ...records.proposals
      .where('workUnit', workUnitId)
      .filter(({ status }) => status === 'Rejected')
      .map(({ proposalId, summary, reviewNotes = 'no reason was given' }) => ({
        id: `rejected ${proposalId}`,
        text: `What was proposed was rejected: ${summary}\nWhy: ${reviewNotes}`,
      })),
    ...records.deadLetters.where('workUnit', workUnitId).map(({ entryId, kind, reason }) => ({
      id: entryId,
      text: `An earlier attempt ended without success (${kind}): ${reason}`,
    })),
    ...collisionsOf(records, workUnitId).map((one) => {
      const other = records.workUnits.get(otherSide(one, workUnitId));
      return {
        id: `collision ${one.collisionId} ${one.since}`,
        text:
          `Other work is changing the same places as yours, in ${one.paths.join(', ')}: ${other?.goal.split('\n')[0] ?? ''}\n` +
          'Whoever lands second brings both together. Change no more there than your work needs, and leave alone what is not yours.',
      };
    }),
    ...records.clarifications
      .where('workUnit', workUnitId)
      .filter(({ status }) => status === 'answered')
      .map(({ requestId, question, response = '', responseNote }) => ({
        id: requestId,
        text: `Asked: ${question}\nAnswered: ${response}${responseNote === undefined ? '' : `\n${responseNote}`}`,
      })),
  ].map(({ id, text }) => ({ id, text: toWellFormed(beginning(text, LONGEST, 'ask for it where you need it')) }));
}

/** Facts that the conversation does not contain yet. */
export function untold<One extends { readonly id: string }>(
  facts: readonly One[],
  cycles: readonly ConversationEntry[],
): One[] {
  const told = new Set(cycles.filter(({ phase }) => phase !== 'failed' && phase !== 'asked').flatMap((c) => c.told));
  return facts.filter(({ id }) => !told.has(id));
}

/** Note keys of the host's own choices; nothing for an agent to read. */
const HIDDEN: ReadonlySet<string> = new Set(['profileId', 'credentialRef', 'shape']);

const TITLES: Readonly<Record<string, string>> = {
  steering: 'A person says:',
  failure: 'This takes the place of work that failed:',
  contract: 'Others rely on this, word for word:',
  setUp: 'Your folder was set up before you began:',
  setUpFailed: 'Your folder could not be set up as the operator wants it. Do it yourself where your work needs it:',
  steps: 'To be done, in order:',
};

function titleOf(key: string): string {
  return TITLES[key] ?? `${key}:`;
}

/** Results of the units that this one depended on. */
function outcomesOf(records: Records, workUnitId: string): Fact[] {
  const landed = records.proposals.where('workUnit', workUnitId).filter(({ status }) => status === 'Merged');
  return landed.map(({ proposalId, summary, filesTouched }) => ({
    id: `landed ${proposalId}`,
    text: `Done before: ${summary} (${filesTouched.slice(0, 50).join(', ')})`,
  }));
}
