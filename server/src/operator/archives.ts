/** Archives of rooms, in the folder that the server was given for them. */
import * as z from 'zod';
import { operation } from './define.js';
import { Room, mustExist } from './room-id.js';
import { asked } from './submit.js';

/** An archive that belongs to no room of this server yet is asked about here. */
const OWN_ROOM = '~host';

const Archive = z.object({ archive: z.string() });
const RoomArchive = Archive.extend({ room: Room });

export const archiveExport = operation({
  name: 'archive-export',
  in: RoomArchive,
  async run({ host, store }, { room, archive }) {
    await mustExist(room, store);
    return asked(host, room, 'ExportArchive', { archive_ref: archive });
  },
});

export const archiveImport = operation({
  name: 'archive-import',
  in: RoomArchive.extend({ is_trial: z.boolean() }),
  run({ host }, { room, archive, is_trial: isTrial }) {
    const import_mode = isTrial ? 'metadata_only' : 'full_apply';
    return asked(host, room, 'ImportArchive', { archive_ref: archive, import_mode });
  },
});

export const archiveValidate = operation({
  name: 'archive-validate',
  in: Archive.extend({ is_quick: z.boolean() }),
  run({ host }, { archive, is_quick: isQuick }) {
    const mode = isQuick ? 'metadata_only' : 'full_integrity';
    return asked(host, OWN_ROOM, 'ValidateArchive', { archive_ref: archive, mode });
  },
});

export const archiveDescribe = operation({
  name: 'archive-describe',
  in: Archive,
  run: ({ host }, { archive }) => asked(host, OWN_ROOM, 'DescribeArchive', { archive_ref: archive }),
});
