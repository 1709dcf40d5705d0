/** Clarifications: asked, answered, abandoned, or answered by default when their time is over. */
import {
  type Clarification,
  type TimeoutBehavior,
  clarification,
} from '../../record/aggregates/clarification/clarification.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { toDeadLetter } from '../queue/dead-letters.js';
import { itemOf, park, settle } from '../queue/queue.js';
import { sessionOf } from '../goals/session-of.js';
import { requireOpen } from '../queue/set-status.js';

/** Default answer when there is no other. */
export const NO_ANSWER = 'Nobody answered in time. Go on as you think best, and say what you assumed.';

export interface Question {
  readonly workUnitId: string;
  readonly question: string;
  readonly context?: string | undefined;
  readonly blocking: boolean;
  readonly options: string[];
  readonly requestedByAgentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly timeoutBehavior?: TimeoutBehavior | undefined;
  readonly defaultResponse?: string | undefined;
}

export function ask(change: Change, records: Records, question: Question): Clarification {
  const { workUnitId, blocking } = question;
  requireOpen(change, records, workUnitId);
  const options = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  const requestId = change.newId('CLR-');
  const timeoutSeconds = question.timeoutSeconds ?? options.defaultClarificationTimeoutSeconds ?? undefined;
  const timeoutBehavior = question.timeoutBehavior ?? options.defaultClarificationTimeoutBehavior;
  const asked = change.run(clarification, requestId, 'request', {
    ...question,
    requestId,
    sessionId: question.sessionId ?? sessionOf(change, records, workUnitId),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds, timeoutBehavior }),
  });
  const item = itemOf(change, workUnitId);
  if (blocking && item && item.place !== 'parked') park(change, workUnitId, 'Clarification');
  return asked;
}

export interface Response {
  readonly response: string;
  readonly note?: string | undefined;
  readonly respondedBy?: string | undefined;
  /** Whether the work resumes by itself. */
  readonly resume: boolean;
}

export function answer(change: Change, records: Records, requestId: string, given: Response): Clarification {
  const { response, note, respondedBy, resume } = given;
  const { workUnitId } = questionOf(change, requestId);
  const isParked = itemOf(change, workUnitId)?.parkedFor === 'Clarification';
  // Computed in advance, because the event records it: the unit resumes unless another question holds it.
  const others = records.clarifications
    .where('open', workUnitId)
    .filter((other) => other.requestId !== requestId && other.blocking);
  const resumed = resume && isParked && others.length === 0;
  const said = change.run(clarification, requestId, 'respond', { response, note, respondedBy, resumed });
  if (resumed) settle(change, records, workUnitId);
  else if (isParked && others.length === 0) park(change, workUnitId, 'Resume');
  return said;
}

/** Expires a question. Without an answer the work goes on with the default, or fails. */
export function expire(change: Change, records: Records, requestId: string): void {
  const found = change.state(clarification, requestId);
  if (found?.status !== 'open') return;
  const { workUnitId, timeoutBehavior, defaultResponse = NO_ANSWER } = found;
  if (timeoutBehavior !== 'auto_abandon') {
    answer(change, records, requestId, { response: defaultResponse, respondedBy: 'timeout', resume: true });
    return;
  }
  change.run(clarification, requestId, 'abandon', { reason: 'nobody answered in time' });
  if (itemOf(change, workUnitId)?.parkedFor !== 'Clarification') return;
  toDeadLetter(change, records, { workUnitId, kind: 'Stalled', reason: `nobody answered: ${found.question}` });
}

export function questionOf(change: Pick<Change, 'state'>, requestId: string): Clarification {
  const found = change.state(clarification, requestId);
  if (found) return found;
  throw refusal('reject.clarification_not_found', `no clarification is called ${requestId}`, { requestId });
}
