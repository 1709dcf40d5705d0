/** Clarifications: questions of agents that people answer. */
import { z } from 'zod';
import { TIMEOUT_BEHAVIORS } from '../../record/aggregates/clarification/clarification.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { answer, ask, questionOf } from '../../rules/people/clarify.js';
import { itemOf } from '../../rules/queue/queue.js';
import { unitOf } from '../../record/views/by-id.js';
import { requireSession } from '../../rules/goals/session-of.js';
import { rootOf } from '../../rules/goals/tree.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS } from '../kernel/hints.js';
import { AgentId } from '../agents/agent-shape.js';
import { Clarification, RequestId, shownClarification } from './clarification-shape.js';
import { ScheduledItem, shownItem } from '../queue/scheduled-item-shape.js';
import { SessionId } from '../goals/session-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const list = operation({
  summary: 'List the questions that nobody has answered yet, newest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Clarification),
  rest: { route: 'GET /studio/clarifications' },
  list: 'requestId',
  refuses: [],
  annotations: READS,
}).run(({ records }) =>
  records.clarifications
    .all()
    .filter(({ status }) => status === 'open')
    .reverse()
    .map((asked) => shownClarification(records, asked)),
);

const counts = {
  requests: z.number().describe('Questions that were asked.'),
  answered: z.number().describe('Those that were answered.'),
  abandoned: z.number().describe('Those that were given up.'),
};

export const metrics = operation({
  summary: 'Count the questions, and those of each goal.',
  scope: 'read',
  in: z.object({}),
  out: z.object({
    ...counts,
    perGoal: z
      .array(
        z.object({
          workUnitId: z.string().describe('Root unit of the goal.'),
          goal: z.string().describe('What is to be achieved.'),
          ...counts,
        }),
      )
      .describe('Counts of each goal, oldest first.'),
  }),
  rest: { route: 'GET /studio/clarifications/metrics' },
  refuses: [],
  annotations: READS,
}).run(({ records, look }) => {
  const all = records.clarifications.all();
  const rootIds = all.map(({ workUnitId }) => rootOf(look, workUnitId)?.workUnitId ?? workUnitId);
  const perGoal = [...new Set(rootIds)].map((workUnitId) => ({
    workUnitId,
    goal: records.workUnits.get(workUnitId)?.goal ?? '',
    ...countsOf(all.filter((_asked, place) => rootIds[place] === workUnitId)),
  }));
  return { ...countsOf(all), perGoal };
});

export const awaiting = operation({
  summary: 'List what is parked because a question waits for its answer.',
  scope: 'read',
  in: z.object({}),
  out: z.array(ScheduledItem),
  rest: { route: 'GET /studio/clarifications/awaiting' },
  list: 'workUnitId',
  refuses: [],
  annotations: READS,
}).run(({ records }) =>
  records.scheduledItems
    .where('place', 'parked')
    .filter(({ parkedFor }) => parkedFor === 'Clarification')
    .map((item) => shownItem(records, item)),
);

export const request = operation({
  summary: 'Ask people something. Work that cannot go on without the answer waits for it.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    question: z.string().min(1).max(20_000).describe('What is asked.'),
    context: z.string().max(100_000).optional().describe('What one should know to answer.'),
    blocking: z.boolean().default(true).describe('Whether the work waits for the answer.'),
    options: z.array(z.string().min(1).max(2000)).max(100).default([]).describe('Answers to choose from.'),
    requestedByAgentId: AgentId.optional(),
    sessionId: SessionId.optional(),
    timeoutSeconds: z
      .number()
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe('How long to wait. Default: see options.'),
    timeoutBehavior: z.enum(TIMEOUT_BEHAVIORS).optional().describe('What happens then: go on, or give up.'),
    defaultResponse: z.string().max(20_000).optional().describe('Taken for the answer when nobody gives one in time.'),
  }),
  out: z.object({
    requestId: z.string().describe('Id of the clarification.'),
    workUnitId: z.string().describe('Work unit that it is about.'),
    blocking: z.boolean().describe('Whether the work waits for the answer.'),
    parkedAwaitingResponse: z.boolean().describe('Whether the work unit was taken out of the queue for it.'),
    awaitingClarification: z.boolean().describe('Whether the agent has to stop here.'),
    status: z.enum(['awaiting_clarification', 'recorded']).describe('recorded: nothing waits for it.'),
    message: z.string().describe('What to do now.'),
  }),
  rest: { route: 'POST /studio/clarifications/request' },
  tool: 'clarification_request',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.session_not_found', 'reject.wrong_state'],
  annotations: ADDS,
}).run((context, question) =>
  context.answer((change) => {
    requireSession(change, context.records, question.sessionId, question.workUnitId);
    const { requestId, workUnitId, blocking } = ask(change, context.records, question);
    return {
      requestId,
      workUnitId,
      blocking,
      awaitingClarification: blocking,
      parkedAwaitingResponse: itemOf(change, workUnitId)?.parkedFor === 'Clarification',
      status: blocking ? ('awaiting_clarification' as const) : ('recorded' as const),
      message: blocking ? 'Stop here. The work goes on when the answer is there.' : 'Go on; the answer may come later.',
    };
  }),
);

const responseFields = {
  response: z.string().min(1).max(100_000).describe('The answer.'),
  note: z.string().max(100_000).optional().describe('More about it.'),
  resume: z.boolean().default(true).describe('Whether the work goes on by itself.'),
};

const responded = {
  workUnitId: z.string().describe('Work unit that it is about.'),
  resumed: z.boolean().describe('Whether the work unit has its turn again.'),
  status: z
    .enum(['resumed', 'response_recorded'])
    .describe('response_recorded: nothing was waiting, or something else is.'),
};

export const respond = operation({
  summary: 'Answer a question of a work unit: the one named, or the newest that nobody has answered.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    requestId: RequestId.optional().describe('Id of the clarification. Default: the newest.'),
    respondedBy: z.string().min(1).max(200).optional().describe('Who answers.'),
    sessionId: SessionId.optional(),
    ...responseFields,
  }),
  out: z.object({ requestId: z.string().describe('Id of the clarification.'), ...responded }),
  rest: { route: 'POST /studio/clarifications/{workUnitId}/respond' },
  human: true,
  refuses: [
    'reject.workunit_not_found',
    'reject.session_not_found',
    'reject.clarification_not_found',
    'reject.clarification_closed',
  ],
  annotations: ADDS,
}).run((context, { workUnitId, requestId, sessionId, ...given }) =>
  context.answer((change) => {
    unitOf(context.records, workUnitId);
    requireSession(change, context.records, sessionId, workUnitId);
    const asked = requestId ?? newest(context.records, workUnitId);
    if (questionOf(change, asked).workUnitId !== workUnitId)
      throw refusal('reject.clarification_not_found', `${asked} is not about ${workUnitId}`, { requestId: asked });
    const { resumed = false } = answer(change, context.records, asked, given);
    return { requestId: asked, workUnitId, resumed, status: resumed ? 'resumed' : 'response_recorded' };
  }),
);

export const respondById = operation({
  summary: 'Answer a question that a goal waits for.',
  scope: 'operate',
  in: z.object({ clarificationId: RequestId, ...responseFields }),
  out: z.object({ clarificationId: z.string().describe('Id of the clarification.'), ...responded }),
  external: 'clarification_respond',
  human: true,
  refuses: ['reject.clarification_not_found', 'reject.clarification_closed'],
  annotations: ADDS,
}).run((context, { clarificationId, ...given }) =>
  context.answer((change) => {
    const said = { ...given, respondedBy: 'external-mcp' };
    const { workUnitId, resumed = false } = answer(change, context.records, clarificationId, said);
    return { clarificationId, workUnitId, resumed, status: resumed ? 'resumed' : 'response_recorded' };
  }),
);

function newest({ clarifications }: Records, workUnitId: string): string {
  const found = clarifications.where('open', workUnitId).at(-1);
  if (found) return found.requestId;
  throw refusal('reject.clarification_not_found', `${workUnitId} asks nothing`, { workUnitId });
}

function countsOf(asked: readonly { readonly status: string }[]) {
  return {
    requests: asked.length,
    answered: asked.filter(({ status }) => status === 'answered').length,
    abandoned: asked.filter(({ status }) => status === 'abandoned').length,
  };
}
