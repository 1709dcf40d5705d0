import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { asked } from '../../submit.js';
import { shownValue } from './shown-value.js';
import { AnyOneRoom, word } from '../word.js';

const PRESENCE_CHARACTERS = 2000;

const Shown = z.object({
  entries: z.array(
    z.object({ session_id: z.union([z.number(), z.string()]), from_peer_pubkey: z.string(), data: z.unknown() }),
  ),
});

export const roomPeers = word({
  noun: 'room',
  verb: 'peers',
  summary: 'Show who is in a room and what they show of themselves, and what waits there beside its limits.',
  changes: false,
  in: AnyOneRoom,
  out: z.object({
    room: z.string(),
    nodes: z.number(),
    heads: z.number().optional().describe('Absent while the room is not in memory.'),
    peers: z.array(
      z.object({
        pubkey: z.string(),
        peer_type: z.string(),
        proven: z.boolean(),
        subject: z.string().optional().describe('Whose key it is, where it is another one’s.'),
      }),
    ),
    presence: z.array(z.object({ session: z.string(), pubkey: z.string(), shows: z.string().describe('JSON.') })),
    pushes_waiting: z.number(),
    parked_bytes: z.number().describe('What came too early and waits.'),
    parked_limit_bytes: z.number(),
    inbox_bytes: z.number().describe('What waits in the inboxes of all rooms.'),
    inbox_limit_bytes: z.number(),
  }),
  async run({ host, store }, { room }) {
    await mustExist(room, store);
    const load = host.load(room);
    // A room that sleeps is not woken for this: nobody is there.
    const { entries } =
      load.heads === undefined ? { entries: [] } : Shown.parse(await asked(host, room, 'PresenceGetAll', {}));
    return {
      room,
      nodes: await store.log.head(room),
      ...(load.heads === undefined ? {} : { heads: load.heads }),
      peers: load.peers.map(({ pubkey, peerType, proven, subject }) => ({
        pubkey,
        peer_type: peerType,
        proven,
        ...(subject === undefined ? {} : { subject }),
      })),
      presence: entries.map(({ session_id, from_peer_pubkey, data }) => ({
        session: String(session_id),
        pubkey: from_peer_pubkey,
        shows: shownValue(data, PRESENCE_CHARACTERS).value,
      })),
      pushes_waiting: load.pushesWaiting,
      parked_bytes: load.parkedBytes,
      parked_limit_bytes: load.parkedLimitBytes,
      inbox_bytes: load.hostInboxBytes,
      inbox_limit_bytes: load.hostInboxLimitBytes,
    };
  },
});
