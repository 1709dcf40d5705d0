/**
 * Workspace notes: a small file beside each workspace's index, written atomically, also against power failure. One that cannot
 * be read all the same is set aside, so that its folder is neither taken for finished nor for nobody's.
 */
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@weft/core/level';
import { z } from 'zod';
import type { StudioLog } from '../../../log.js';
import { clearStaleLocks } from '../calls/stale-locks.js';
import type { BegunEdit } from './spaces.js';

const NOTE = '.json';
const UNREADABLE = '.unreadable';

const Note = z.object({
  repositoryId: z.string(),
  branchId: z.string(),
  commit: z.string(),
  bytes: z.number(),
});
export type Note = z.infer<typeof Note>;
const Begun = z.object({
  call: z.string(),
  files: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});

export class SpaceNotes {
  readonly #folder: string;
  readonly #log: StudioLog | undefined;

  constructor(folder: string, log: StudioLog | undefined) {
    this.#folder = folder;
    this.#log = log;
  }

  async recover(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await clearStaleLocks(this.#folder);
    // Sets unreadable ones aside.
    await this.all();
  }

  async of(name: string): Promise<Note | undefined> {
    const text = await readFile(this.#note(name), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (noteIn(text) ?? this.#setAside(name));
  }

  /** Whether its note was unreadable, and none was written since. */
  async isUnreadable(name: string): Promise<boolean> {
    if ((await this.of(name)) !== undefined) return false;
    return stat(join(this.#folder, name + UNREADABLE)).then(
      () => true,
      () => false,
    );
  }

  async all(): Promise<Note[]> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(NOTE));
    const notes = await Promise.all(names.map((name) => this.of(name.slice(0, -NOTE.length))));
    return notes.flatMap((note) => note ?? []);
  }

  async write(name: string, note: Note): Promise<void> {
    const draft = `${this.#note(name)}.new`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(note));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.#note(name));
    await syncFolder(this.#folder);
    await rm(join(this.#folder, name + UNREADABLE), { force: true });
  }

  begin(name: string, edit: BegunEdit): Promise<void> {
    return writeFile(this.#begun(name), JSON.stringify(edit), { mode: 0o600 });
  }

  /** One that is there in part says that no file was written. */
  async begun(name: string): Promise<BegunEdit | undefined> {
    const text = await readFile(this.#begun(name), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : Begun.safeParse(parsed(text)).data;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#note(name), { force: true });
    await rm(this.#begun(name), { force: true });
    await this.clearIndex(name);
  }

  index(name: string): string {
    return join(this.#folder, `${name}.index`);
  }

  /** Removes the leftover lock of a killed git. */
  async clearIndex(name: string): Promise<void> {
    await rm(this.index(name), { force: true });
    await rm(`${this.index(name)}.lock`, { force: true });
  }

  async #setAside(name: string): Promise<undefined> {
    const aside = join(this.#folder, name + UNREADABLE);
    const isMine = await rename(this.#note(name), aside).then(
      () => true,
      () => false,
    );
    if (!isMine) return undefined;
    const message = 'the note of a workspace cannot be read; what is in its folder stays, and is looked at anew';
    this.#log?.({ level: 'error', message, about: { workspace: name, note: aside } });
    return undefined;
  }

  #begun(name: string): string {
    return join(this.#folder, `${name}.edit`);
  }

  #note(name: string): string {
    return join(this.#folder, name + NOTE);
  }
}

function noteIn(text: string): Note | undefined {
  return Note.safeParse(parsed(text)).data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
