/** Host commands in one line each. */
import type { Host } from '../engine.js';
import type { HostEvent, HostRequest } from '../host/host-door.js';

export type Submit = (command: HostRequest['command']) => Promise<readonly HostEvent[]>;

/** Submits commands for one room, and answers their events without its name. */
export function submitter(host: Host, room = 'room'): Submit {
  return async (command) => {
    const { events } = await host.submit({ room_id: room, command });
    return events.map((event) =>
      Object.fromEntries(
        Object.entries(event).map(([name, { room_id, ...body }]) => {
          if (room_id !== room) throw new Error(`${name} names room ${String(room_id)}`);
          return [name, body];
        }),
      ),
    );
  };
}
