/** Rooms of the studio's server, as whom the studio has let in. */
import { pageHeaders } from '../core/session.js';
import { letIn } from '../rooms/client.js';
import { RoomsView } from '../rooms/rooms.js';
import type { AtAddress } from './work.js';

letIn(pageHeaders);

export function StudioRooms({ rest }: AtAddress) {
  return <RoomsView rest={rest} />;
}
