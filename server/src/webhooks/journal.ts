/**
 * The journal of webhooks: which there are, and up to where each was told of each room. One file of JSON lines in the data
 * folder, for its owner alone, since it holds their secrets; in memory where there is no folder.
 *
 * What adds or removes a webhook is synced. What was told is not: a machine that loses power tells some of it again.
 */
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RoomId } from '@weft/core';
import type { AddedWebhook } from './webhook-desk.js';

type Line =
  | { readonly add: AddedWebhook }
  | { readonly remove: string }
  | { readonly told: readonly [webhook: string, room: RoomId, seq: number] };

/** Lines beyond those that are needed, before the file is written anew. */
const MOST_OLD_LINES = 20_000;
const LINES_AT_ONCE = 1000;

export class Journal {
  readonly webhooks = new Map<string, AddedWebhook>();
  readonly #told = new Map<string, Map<RoomId, number>>();
  readonly #path: string | undefined;
  #file: FileHandle | undefined;
  #lines = 0;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string | undefined) {
    this.#path = path;
  }

  /** Opens the journal at a path, or one that is kept nowhere. */
  static async open(path: string | undefined): Promise<Journal> {
    const journal = new Journal(path);
    if (path !== undefined) await journal.#read(path);
    return journal;
  }

  /** The number of nodes of a room that a webhook was told of; undefined where it never was. */
  toldOf(webhook: string, room: RoomId): number | undefined {
    return this.#told.get(webhook)?.get(room);
  }

  /** Rooms that a webhook was told of. */
  toldRooms(webhook: string): Iterable<RoomId> {
    return this.#told.get(webhook)?.keys() ?? [];
  }

  /** Adds a webhook that needs not be told of what these rooms have by now. */
  add(webhook: AddedWebhook, known: ReadonlyMap<RoomId, number>): Promise<void> {
    // The webhook comes last: who dies before it has added none.
    const told = [...known].map(([room, seq]): Line => ({ told: [webhook.id, room, seq] }));
    return this.#write([...told, { add: webhook }], true);
  }

  remove(webhook: string): Promise<void> {
    return this.#write([{ remove: webhook }], true);
  }

  /** Notes what was told; 0 where the room is gone. */
  told(webhook: string, room: RoomId, seq: number): Promise<void> {
    return this.#write([{ told: [webhook, room, seq] }], false);
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#file?.close();
    this.#file = undefined;
  }

  async #read(path: string): Promise<void> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const lines = text.split('\n');
    // Behind the last newline stands nothing, or what a power failure has left of a line.
    const torn = lines.pop() ?? '';
    lines.forEach((line, at) => {
      try {
        this.#apply(JSON.parse(line) as Line);
      } catch (error) {
        throw new Error(`${path}, line ${at + 1}: it is no note about a webhook; put it right, or take the line out`, {
          cause: error,
        });
      }
    });
    this.#lines = lines.length;
    if (torn !== '') await this.#rewrite();
  }

  #apply(line: Line): void {
    if ('add' in line) this.webhooks.set(line.add.id, line.add);
    else if ('remove' in line) {
      this.webhooks.delete(line.remove);
      this.#told.delete(line.remove);
    } else {
      const [webhook, room, seq] = line.told;
      const rooms = this.#told.get(webhook) ?? new Map<RoomId, number>();
      if (seq === 0) rooms.delete(room);
      else rooms.set(room, seq);
      this.#told.set(webhook, rooms);
    }
  }

  /** One after the other: lines stand in the file in the order in which they count. */
  #write(lines: readonly Line[], isSynced: boolean): Promise<void> {
    const written = this.#last.then(async () => {
      if (this.#path !== undefined) {
        this.#file ??= await open(this.#path, 'a', 0o600);
        for (let at = 0; at < lines.length; at += LINES_AT_ONCE)
          await this.#file.appendFile(textOf(lines.slice(at, at + LINES_AT_ONCE)));
        if (isSynced) await this.#file.sync();
      }
      for (const line of lines) this.#apply(line);
      this.#lines += lines.length;
      if (this.#path !== undefined && this.#lines > 2 * this.#needed().length + MOST_OLD_LINES) await this.#rewrite();
    });
    this.#last = written.catch(() => undefined);
    return written;
  }

  #needed(): Line[] {
    return [...this.webhooks.values()].flatMap((webhook) => [
      ...[...(this.#told.get(webhook.id) ?? [])].map(([room, seq]): Line => ({ told: [webhook.id, room, seq] })),
      { add: webhook },
    ]);
  }

  async #rewrite(): Promise<void> {
    const path = this.#path!;
    const lines = this.#needed();
    await this.#file?.close();
    this.#file = undefined;
    await rm(`${path}.new`, { force: true });
    const file = await open(`${path}.new`, 'wx', 0o600);
    try {
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE)
        await file.appendFile(textOf(lines.slice(at, at + LINES_AT_ONCE)));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    const folder = await open(dirname(path));
    await folder.sync().finally(() => folder.close());
    this.#lines = lines.length;
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
