/** Cursor of a follower in a file of its own: written whole under another name, then renamed. */
import { open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import type { NodeId } from '../../graph/node.js';
import type { Cursor } from '../../ports/cursor.js';
import { StoreError } from '../../ports/store.js';
import { hasCode } from './disk.js';

const Noted = z.strictObject({
  seq: z.number().int().nonnegative(),
  node: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .transform((text) => text as NodeId)
    .optional(),
});

/** One follower and one room to a file. */
export function fileCursor(path: string): Cursor {
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw error;
      });
      return text === undefined ? undefined : parsed(path, text);
    },
    async note({ seq, node }) {
      const draft = `${path}.new`;
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify({ seq, node }));
        await file.sync();
      } finally {
        await file.close();
      }
      // Its folder is not synced: where the old name comes back, some is told again.
      await rename(draft, path);
    },
  };
}

function parsed(path: string, text: string) {
  try {
    return Noted.parse(JSON.parse(text));
  } catch (cause) {
    const remedy = 'put it right, or take it away to be told everything again';
    throw new StoreError('damaged', `${path} holds no position of a log; ${remedy}`, { cause });
  }
}
