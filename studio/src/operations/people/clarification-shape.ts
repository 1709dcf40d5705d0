/** Shapes of clarifications, as callers see them. */
import { z } from 'zod';
import { type Clarification as Held, TIMEOUT_BEHAVIORS } from '../../record/aggregates/clarification/clarification.js';
import type { Records } from '../../record/views/records.js';

export const RequestId = z.string().min(1).max(200).describe('Id of a clarification.');

const CLARIFICATION_STATUSES = ['open', 'awaiting_response', 'abandoned', 'answered', 'answered_resumed'] as const;

export const Clarification = z
  .object({
    requestId: z.string().describe('Id of the clarification.'),
    sessionId: z.string().optional().describe('Session that it was asked in.'),
    workUnitId: z.string().describe('Work unit that it is about.'),
    goal: z.string().describe('What that is to achieve.'),
    question: z.string().describe('What is asked.'),
    context: z.string().optional().describe('What one should know to answer.'),
    blocking: z.boolean().describe('Whether the work waits for the answer.'),
    options: z.array(z.string()).describe('Answers to choose from. Empty: any.'),
    requestedByAgentId: z.string().optional().describe('Agent that asks.'),
    requestedAt: z.string().describe('When it was asked, ISO 8601.'),
    status: z.enum(CLARIFICATION_STATUSES).describe('State of the question; awaiting_response: the work waits for it.'),
    response: z.string().optional().describe('The answer.'),
    responseNote: z.string().optional().describe('More about the answer.'),
    respondedBy: z.string().optional().describe('Who answered.'),
    respondedAt: z.string().optional().describe('When it was answered, ISO 8601.'),
    awaitingResume: z.boolean().describe('Whether the work waits.'),
    timeoutSeconds: z.number().optional().describe('How long it waits for an answer.'),
    timeoutAt: z.string().optional().describe('Until when it waits for an answer, ISO 8601.'),
    timeoutBehavior: z.enum(TIMEOUT_BEHAVIORS).optional().describe('What happens then.'),
  })
  .meta({ id: 'Clarification', description: 'A question of an agent to people.' });

export function shownClarification(
  records: Records,
  { status, resumed, ...asked }: Held,
): z.input<typeof Clarification> {
  const awaitingResume =
    status === 'open' && records.scheduledItems.get(asked.workUnitId)?.parkedFor === 'Clarification' && asked.blocking;
  return {
    ...asked,
    goal: records.workUnits.get(asked.workUnitId)?.goal ?? '',
    awaitingResume,
    status: shownStatus(status, awaitingResume, resumed === true),
  };
}

function shownStatus(status: Held['status'], isWaited: boolean, isResumed: boolean) {
  if (status === 'open') return isWaited ? 'awaiting_response' : 'open';
  return status === 'answered' && isResumed ? 'answered_resumed' : status;
}
