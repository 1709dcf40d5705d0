import { Rejection, type Room } from '@weft/core';
import * as z from 'zod';
import { mustExist } from '../../room-id.js';
import { OneRoom, word } from '../word.js';

export const authorityStatus = word({
  noun: 'authority',
  verb: 'status',
  summary: 'Show who speaks for rooms on a server that runs, as it has it by now; and whether it has a say in a room.',
  changes: false,
  in: OneRoom.partial().extend({ room: OneRoom.shape.room.optional().describe('Room to say it of too.') }),
  out: z.object({
    roots: z
      .array(z.string())
      .optional()
      .describe('Roots of rooms that begin now; absent where one key of the store does everything.'),
    signers: z.array(z.string()).optional().describe('Public keys that this server signs with.'),
    silence: z.string().optional().describe('Why it speaks nowhere just now, and what to do.'),
    room: z.string().optional(),
    room_genesis: z.string().optional().describe('Id of its genesis, which --room of the words of an authority takes.'),
    room_roots: z.array(z.string()).optional().describe('Roots of that room.'),
    speaks: z.boolean().optional().describe('Whether what this server writes there counts for the room.'),
    speaker: z.string().optional().describe('Public key that it signs with there.'),
    why: z.string().optional().describe('Why it has no say there, and what to do.'),
  }),
  async run({ host, store }, { room }) {
    const { roots, signers, silence } = host.authority ?? {};
    const said = {
      ...(roots === undefined ? {} : { roots: [...roots] }),
      ...(signers === undefined ? {} : { signers: [...signers] }),
      ...(silence === undefined ? {} : { silence }),
    };
    if (room === undefined) return said;
    await mustExist(room, store);
    return { ...said, room, ...(await host.withRoom(room, (opened) => Promise.resolve(standingIn(opened)))) };
  },
});

interface Standing {
  readonly room_genesis: string;
  readonly room_roots: string[];
  readonly speaks: boolean;
  readonly speaker?: string;
  readonly why?: string;
}

function standingIn(room: Room): Standing {
  const named = { room_genesis: room.genesis.id, room_roots: [...room.reign.roots] };
  try {
    room.expectVoice();
    return { ...named, speaks: true, speaker: room.speaker.publicKey };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { ...named, speaks: false, why: error.message };
  }
}
