/** Keepable folders: what a folder must be for the studio to keep its history. */
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refusal } from '../../../reasons.js';

const MOST_FILES = 100_000;
const SLASH = '/'.charCodeAt(0);

/** Refuses a folder that holds the store itself, and a subfolder of a repository, which is not another one. */
export async function expectApart(folder: string, store: string): Promise<void> {
  if (store.startsWith(join(folder, '/'))) throw unusable(folder, "holds the studio's own folder; name one project's");
  for (let above = dirname(folder); ; above = dirname(above)) {
    if (await lstat(join(above, '.git')).catch(() => undefined))
      throw unusable(folder, `is not a git repository, and lies in the one at ${above}; register that`);
    if (above === dirname(above)) return;
  }
}

/** Counts the names that git lists of a folder, each ended by a NUL; refuses repositories in it, and too many. */
export class FitNames {
  readonly #folder: string;
  #count = 0;
  #last = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get count(): number {
    return this.#count;
  }

  take(bytes: Uint8Array): void {
    for (const byte of bytes) {
      // Git ends the name of a repository with a slash.
      if (byte === 0 && this.#last === SLASH) throw unusable(this.#folder, 'has a git repository in it; register that');
      if (byte === 0 && ++this.#count > MOST_FILES)
        throw unusable(this.#folder, `has more than ${MOST_FILES} files; name a folder of one project`);
      this.#last = byte;
    }
  }
}

function unusable(folder: string, why: string): Error {
  return refusal('reject.repository_path_unusable', `${folder} ${why}`);
}
