/** Sessions: runs over a tree of work units. */
import { z } from 'zod';
import { type Session as Held, session } from '../../record/aggregates/session/session.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { abandonSession, pauseSession, resumeSession } from '../../rules/people/pause.js';
import { eventById, eventIdOf } from '../../rules/goals/event-id.js';
import { numberAt, stateAt } from '../../rules/goals/session-state.js';
import { unitOf } from '../../record/views/by-id.js';
import { treeOf } from '../../rules/goals/tree.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { Shown } from '../kernel/pages.js';
import { ProfileId } from '../agents/model-choice-shape.js';
import { Session, SessionId, SessionStateSnapshot, SessionStatus, shownSession } from './session-shape.js';
import { WorkUnitId, WorkUnitView, viewOf } from './work-unit-shape.js';

const version = ({ sessions }: Records, { sessionId }: { readonly sessionId: string }): number | undefined =>
  sessions.version(sessionId) || undefined;

/** Models of a session: none, since each piece of work names its own. */
const NO_MODELS = '{}';

export const start = operation({
  summary: 'Begin a session over a work unit and all below it.',
  scope: 'operate',
  in: z.object({
    rootWorkUnitId: WorkUnitId,
    profileIds: z.array(ProfileId).min(1).max(100).describe('Profiles of the agents that will take part.'),
    modelConfigJson: z
      .string()
      .max(100_000)
      .optional()
      .describe('An empty object, as JSON: models are named where work is begun.'),
  }),
  out: Session,
  rest: { route: 'POST /studio/sessions' },
  refuses: ['reject.workunit_not_found', 'reject.option_fixed'],
  annotations: ADDS,
}).run((context, { rootWorkUnitId, profileIds, modelConfigJson = NO_MODELS }) =>
  context.answer((change) => {
    if (!isEmpty(modelConfigJson))
      throw refusal(
        'reject.option_fixed',
        'modelConfigJson is {} here: a session chooses no models; name them where work is begun, queued or resumed',
        { name: 'modelConfigJson', only: NO_MODELS },
      );
    unitOf(context.records, rootWorkUnitId);
    const sessionId = change.newId('session-');
    const given = { sessionId, rootWorkUnitId, profileIds, modelConfigSnapshotJson: NO_MODELS };
    return shownSession(change.run(session, sessionId, 'start', given));
  }),
);

export const list = operation({
  summary: 'List the sessions, oldest first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Session),
  rest: { route: 'GET /studio/sessions' },
  list: 'sessionId',
  refuses: [],
  annotations: READS,
}).run(({ records }) => records.sessions.all().map(shownSession));

export const get = operation({
  summary: 'Read one session.',
  scope: 'read',
  in: z.object({ sessionId: SessionId }),
  out: Session,
  rest: { route: 'GET /studio/sessions/{sessionId}' },
  version,
  refuses: ['reject.session_not_found'],
  annotations: READS,
}).run(({ records }, { sessionId }) => shownSession(sessionOf(records, sessionId)));

export const pause = operation({
  summary: 'Pause a session: all work of its tree stops at its next step and waits.',
  scope: 'operate',
  in: z.object({ sessionId: SessionId }),
  out: SessionStatus,
  rest: { route: 'POST /studio/sessions/{sessionId}/pause' },
  human: true,
  version,
  refuses: ['reject.session_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { sessionId }) => context.answer((change) => pauseSession(change, context.records, sessionId)));

export const resume = operation({
  summary: 'Resume a paused session: what its pause stopped goes on.',
  scope: 'operate',
  in: z.object({ sessionId: SessionId }),
  out: SessionStatus,
  rest: { route: 'POST /studio/sessions/{sessionId}/resume' },
  human: true,
  version,
  refuses: ['reject.session_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { sessionId }) => context.answer((change) => resumeSession(change, context.records, sessionId)));

export const abandon = operation({
  summary: 'End a session and cancel all of its work that is not over.',
  scope: 'operate',
  in: z.object({ sessionId: SessionId }),
  out: SessionStatus,
  rest: { route: 'POST /studio/sessions/{sessionId}/abandon' },
  human: true,
  version,
  refuses: ['reject.session_not_found', 'reject.wrong_state'],
  annotations: ENDS,
}).run((context, { sessionId }) => context.answer((change) => abandonSession(change, context.records, sessionId)));

export const workUnits = operation({
  summary: 'List the work units of a session: its root and all below it, parents first.',
  scope: 'read',
  in: z.object({ sessionId: SessionId }),
  out: z.array(WorkUnitView),
  rest: { route: 'GET /studio/sessions/{sessionId}/workunits' },
  list: 'workUnitId',
  refuses: ['reject.session_not_found'],
  annotations: READS,
}).run((context, { sessionId }) => {
  const { records } = context;
  const tree = treeOf(records, sessionOf(records, sessionId).rootWorkUnitId);
  return Shown.of(tree, (unit) => viewOf(context, unit));
});

export const branch = operation({
  summary: 'Begin another session over the same work, from some event on.',
  scope: 'operate',
  in: z.object({
    sessionId: SessionId,
    parentEventId: z.string().min(1).max(100).optional().describe('Event to branch at. Default: the newest.'),
    goal: z.string().min(1).max(100_000).optional().describe('What to try instead.'),
  }),
  out: Session,
  rest: { route: 'POST /studio/sessions/{sessionId}/branch' },
  refuses: ['reject.session_not_found', 'reject.event_not_found'],
  annotations: ADDS,
}).run((context, { sessionId, parentEventId, goal }) =>
  context.answer((change) => {
    const { rootWorkUnitId, profileIds, modelConfigSnapshotJson } = sessionOf(context.records, sessionId);
    if (parentEventId !== undefined) numberOf(context, parentEventId);
    const childSessionId = change.newId('session-');
    change.run(session, sessionId, 'branch', { childSessionId, parentEventId });
    const child = change.run(session, childSessionId, 'start', {
      sessionId: childSessionId,
      rootWorkUnitId,
      profileIds,
      modelConfigSnapshotJson,
      parentSessionId: sessionId,
      parentEventId,
      goal,
    });
    return shownSession(child);
  }),
);

export const state = operation({
  summary: 'Read what a session was at an event, or at a time. One of the two must be given.',
  scope: 'read',
  in: z.object({
    sessionId: SessionId,
    upToEvent: z.string().min(1).max(100).optional().describe('Id of the last event that counts.'),
    asOf: z.string().min(1).max(100).optional().describe('Time of the last event that counts, ISO 8601.'),
  }),
  out: SessionStateSnapshot,
  rest: { route: 'GET /studio/sessions/{sessionId}/state', query: ['upToEvent', 'asOf'] },
  refuses: ['reject.invalid_input', 'reject.session_not_found', 'reject.event_not_found'],
  annotations: READS,
}).run(async (context, { sessionId, upToEvent, asOf }) => {
  const { feed, records } = context;
  const found = sessionOf(records, sessionId);
  const time = Date.parse(asOf ?? '');
  if (upToEvent === undefined && Number.isNaN(time))
    throw refusal('reject.invalid_input', 'give upToEvent, or asOf as ISO 8601', [
      { field: 'asOf', message: 'is no time' },
    ]);
  const last = upToEvent === undefined ? await numberAt(feed, time) : numberOf(context, upToEvent);
  const boundary = feed.get(last);
  return {
    sessionId,
    ...(boundary === undefined ? {} : { boundaryEventId: eventIdOf(boundary.number) }),
    boundaryTime: upToEvent === undefined ? new Date(time).toISOString() : (boundary?.stored.meta.at ?? ''),
    ...(await stateAt(feed, records, found, last)),
  };
});

function sessionOf({ sessions }: Records, sessionId: string): Held {
  const found = sessions.get(sessionId);
  if (found) return found;
  throw refusal('reject.session_not_found', `no session is called ${sessionId}`, { sessionId });
}

function isEmpty(json: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(json);
}

function numberOf({ feed }: Context, id: string): number {
  const number = eventById(feed, id)?.number;
  if (number !== undefined) return number;
  throw refusal('reject.event_not_found', `no event is called ${id}`, { eventId: id });
}
