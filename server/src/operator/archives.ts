/** Operations on archives of rooms, which are in the places that the server was given for them. */
import * as z from 'zod';
import { type OperatorContext, OperatorError, operation } from './define.js';
import { Room, mustExist } from './room-id.js';
import { asked } from './submit.js';

/** Room of the host itself, for archives that belong to no room of this server yet. */
const OWN_ROOM = '~host';

/** Advice to an operator who has named no place for archives, by the scheme of the archive's name. */
const PLACES: Readonly<Record<string, string>> = {
  file: 'no folder for archives: start the server with --archive-root <folder>, or give that here where none runs',
  object:
    'no bucket for archives: start the server with --archive-store s3://…, or set WEFT_ARCHIVE_STORE where none runs',
};

/** Advice to an operator beside a refusal, by how that ends; a peer is told the refusal alone. */
const ADVICE: Readonly<Record<string, string>> = {
  'who is not trusted here':
    'where that is a key of yours, or of somebody whose archives you take, start the server with --archive-trust <key>, or give that here where none runs',
  'whose key is revoked':
    'where the archive is from before the key was lost, start the server with --archive-trust <key>, or give that here where none runs',
};

const Archive = z.object({ archive: z.string() });
const RoomArchive = Archive.extend({ room: Room });

export const archiveExport = operation({
  name: 'archive-export',
  in: RoomArchive,
  async run({ host, store, archives }, { room, archive }) {
    mustHavePlace(archive, archives);
    await mustExist(room, store);
    return asked(host, room, 'ExportArchive', { archive_ref: archive });
  },
});

export const archiveImport = operation({
  name: 'archive-import',
  in: RoomArchive.extend({ is_trial: z.boolean() }),
  async run({ host, archives }, { room, archive, is_trial: isTrial }) {
    mustHavePlace(archive, archives);
    const import_mode = isTrial ? 'metadata_only' : 'full_apply';
    return asked(host, room, 'ImportArchive', { archive_ref: archive, import_mode }).catch(advised);
  },
});

export const archiveValidate = operation({
  name: 'archive-validate',
  in: Archive.extend({ is_quick: z.boolean() }),
  async run({ host, archives }, { archive, is_quick: isQuick }) {
    mustHavePlace(archive, archives);
    const mode = isQuick ? 'metadata_only' : 'full_integrity';
    return asked(host, OWN_ROOM, 'ValidateArchive', { archive_ref: archive, mode }).catch(advised);
  },
});

export const archiveDescribe = operation({
  name: 'archive-describe',
  in: Archive,
  async run({ host, archives }, { archive }) {
    mustHavePlace(archive, archives);
    return asked(host, OWN_ROOM, 'DescribeArchive', { archive_ref: archive }).catch(advised);
  },
});

function mustHavePlace(archive: string, archives: OperatorContext['archives']): void {
  const [scheme = ''] = archive.split('://', 1);
  const place = PLACES[scheme];
  if (place !== undefined && !archives[scheme]) throw new OperatorError(`there is ${place}`);
}

function advised(error: unknown): never {
  if (!(error instanceof OperatorError)) throw error;
  const [, advice] = Object.entries(ADVICE).find(([end]) => error.message.endsWith(end)) ?? [];
  throw advice === undefined ? error : new OperatorError(`${error.message}: ${advice}`, { cause: error });
}
