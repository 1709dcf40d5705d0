/** Words about archives of rooms, which are where the server keeps them: for whoever is at another machine. */
import * as z from 'zod';
import { archiveExport, archiveImport } from '../../archives.js';
import { OneRoom, word } from '../word.js';

const Archive = z
  .string()
  .min(1)
  .max(1024)
  .transform((name) => (name.includes('://') ? name : `file://${name}`))
  .describe('Name of the archive: `plans.weft` in the folder for archives, or `object://bucket/plans.weft`.');

const Named = { room: z.string(), archive: z.string().describe('Its name in full.') };
const Written = z.object({
  archive_ref: z.string(),
  manifest_id: z.string(),
  checkpoint: z.object({ canonical_seq: z.number() }),
});
const Taken = z.object({
  archive_ref: z.string(),
  canonical_hash: z.string(),
  checkpoint: z.object({ canonical_seq: z.number() }),
  imported_nodes: z.number(),
  imported_blobs: z.number(),
});

export const roomArchive = word({
  noun: 'room',
  verb: 'archive',
  summary:
    'Write a room with its blobs as one signed file, where the server keeps archives. One of it there is replaced.',
  changes: true,
  in: OneRoom.extend({ archive: Archive }),
  out: z.object({ ...Named, manifest_id: z.string(), nodes: z.number() }),
  async run(context, { room, archive }) {
    const answer = await archiveExport.answer(context, { room, archive });
    const { archive_ref: ref, manifest_id, checkpoint } = Written.parse(answer);
    return { room, archive: ref, manifest_id, nodes: checkpoint.canonical_seq };
  },
});

export const roomRestore = word({
  noun: 'room',
  verb: 'restore',
  summary: 'Take an archive into a room, which begins with it where there is none of that name.',
  changes: true,
  in: OneRoom.extend({
    archive: Archive,
    trial: z.boolean().default(false).describe('Look at frame, signature and policies alone: nothing is changed.'),
  }),
  out: z.object({
    ...Named,
    nodes: z.number().describe('Nodes that the archive holds.'),
    imported_nodes: z.number().describe('Nodes that the room did not hold.'),
    imported_blobs: z.number().describe('Blobs that the room did not have.'),
    state_hash: z.string().describe('State hash of the room as it is now.'),
  }),
  async run(context, { room, archive, trial }) {
    const answer = await archiveImport.answer(context, { room, archive, is_trial: trial });
    const { archive_ref: ref, checkpoint, imported_nodes, imported_blobs, canonical_hash } = Taken.parse(answer);
    return {
      room,
      archive: ref,
      nodes: checkpoint.canonical_seq,
      imported_nodes,
      imported_blobs,
      state_hash: canonical_hash,
    };
  },
});
