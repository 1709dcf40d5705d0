/** Shapes of sessions, as callers see them. */
import { z } from 'zod';
import { SESSION_STATUSES, type Session as Held } from '../../record/aggregates/session/session.js';

export const SessionId = z.string().min(1).max(200).describe('Id of a session.');

export const Session = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    rootWorkUnitId: z.string().describe('Unit whose tree it is about.'),
    status: z.enum(SESSION_STATUSES).describe('State of the session.'),
    parentSessionId: z.string().optional().describe('Session that it was branched from.'),
    parentEventId: z.string().optional().describe('Event at which it was branched.'),
    goal: z.string().optional().describe('What a branch tries instead.'),
    startedAt: z.string().describe('When it began, ISO 8601.'),
    pausedAt: z.string().optional().describe('Since when it is paused.'),
    completedAt: z.string().optional().describe('When it ended.'),
    modelConfigSnapshotJson: z.string().describe('Models that it was started with, as JSON.'),
    profileIdSet: z.array(z.string()).describe('Profiles of its agents.'),
  })
  .meta({ id: 'Session', description: 'One run over a tree of work units.' });

export const SessionStatus = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    status: z.enum(SESSION_STATUSES).describe('State of the session.'),
  })
  .meta({ id: 'SessionStatus', description: 'How a session stands.' });

export const SessionStateSnapshot = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    boundaryEventId: z.string().optional().describe('Last event that counts. Absent when none is so old.'),
    boundaryTime: z.string().describe('When that was, ISO 8601.'),
    activeWorkUnitIds: z.array(z.string()).describe('Units of its tree that were not over.'),
    activeWorkspaceIds: z.array(z.string()).describe('Workspaces of those units.'),
    artifactIds: z.array(z.string()).describe('Artifacts that had been recorded.'),
    completedEventIds: z.array(z.string()).describe('Events of its tree until then, oldest first.'),
  })
  .meta({ id: 'SessionStateSnapshot', description: 'What a session was at some moment.' });

export function shownSession({ profileIds, ...session }: Held): z.input<typeof Session> {
  return { ...session, profileIdSet: profileIds };
}
