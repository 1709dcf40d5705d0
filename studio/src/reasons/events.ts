/** Refusals of events. */
import type { ReasonRow } from './reason-row.js';

export const eventReasons = {
  'reject.event_not_found': {
    kind: 'missing',
    meaning: 'No event has this id, or none is as old.',
    recovery: ['Follow the events, or read the timeline or the events of a session.'],
  },
} as const satisfies Record<string, ReasonRow>;
