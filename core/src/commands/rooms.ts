/** Rooms through the embedding API. Rule HC6. */
import { z } from 'zod';
import { hostCommand } from '../contract/host-command.js';

export const ensureRoom = hostCommand({
  variant: 'EnsureRoom',
  event: 'RoomEnsured',
  summary:
    'Make the room durable, if it is new. Any other command begins a room as well, once there is something to write.',
  in: z.object({}),
  out: z.object({}),
}).run(async ({ tenancy }) => {
  await tenancy.room.establish();
  return {};
});

export const noop = hostCommand({
  variant: 'Noop',
  event: 'NoopAck',
  summary: 'Do nothing.',
  in: z.object({}),
  out: z.object({}),
}).run(() => ({}));
