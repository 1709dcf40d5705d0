/** Notices: all frames that the server sends unasked. */
import { z } from 'zod';
import { notice } from './notice.js';
import { Bytes, RequestId } from './scalars.js';
import { PackFromServer, PeerShape } from './shapes.js';

export const relayedPack = notice({
  type: 'pack',
  when: 'Other peers, or the server itself, wrote to the room; the nodes are durable.',
  out: PackFromServer,
});

export const peerLeft = notice({
  type: 'peer-left',
  when: 'A peer disconnected.',
  out: PeerShape,
});

export const tickResult = notice({
  type: 'tick-result',
  when: 'A tick has decided intents.',
  out: z.object({
    results: z.array(
      z.object({
        key: z.string().describe('Key of the intent.'),
        intent_node_id: z.string().describe('The node that set it.'),
        status: z.enum(['accepted', 'rejected']),
        reason: z.string().optional().describe('Why it was rejected.'),
        node_id: z.string().optional().describe('The node that wrote it to `world/`.'),
      }),
    ),
  }),
});

export const error = notice({
  type: 'error',
  when: 'A frame was refused. The connection stays open unless a close follows.',
  out: z.object({
    msg: z.string().describe('What is wrong, for people.'),
    code: z.string().describe('The reason, for programs.'),
    retry_ms: z.number().optional().describe('Milliseconds after which it may be granted, if it is refused for now.'),
    command: z.string().optional().describe('The type of the refused frame.'),
    room: z.string().optional().describe('Other room in which the capability is lacking.'),
    tombstone: Bytes.optional().describe('What is left of a room that was deleted: see DE2.'),
    req_id: RequestId.optional().describe('Echoed from the refused frame.'),
  }),
});
