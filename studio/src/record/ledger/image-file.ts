/** Image of the record as a file of the studio's own folder: written beside the present one, synced, and put in its place. */
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '@weft/core/level';
import type { ImageStore } from './image.js';

/** Hash of the sources, which the build writes here; nothing where the studio runs from its sources, whose code may change. */
declare const STUDIO_CODE: string | undefined;

/** Name of the code that runs. */
export function codeOfBuild(): string | undefined {
  return typeof STUDIO_CODE === 'undefined' ? undefined : STUDIO_CODE;
}

/** Below that, a start folds everything sooner than it opens an image. */
const FEWEST = 2000;

export function imageFile(path: string, code: string): ImageStore {
  return {
    code,
    fewest: FEWEST,
    read: () =>
      readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      }),
    async write(pieces) {
      const draft = `${path}.new`;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      try {
        // The folder is the studio's own: a draft that lies there was left by a process that died.
        const file = await open(draft, 'w', 0o600);
        try {
          for await (const piece of pieces) await file.writeFile(piece);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
        await syncFolder(dirname(path));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
  };
}
