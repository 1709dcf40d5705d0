/** Refusals of events. */
import type { ReasonRow } from './reason-row.js';

export const eventReasons = {
  'reject.event_not_found': {
    kind: 'missing',
    meaning: 'No event has this id.',
    recovery: ['Follow the events, or list those of a session.'],
  },
} as const satisfies Record<string, ReasonRow>;
