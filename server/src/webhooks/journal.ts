/**
 * Journal of webhooks: which there are, and up to where each was told of each room. In memory as a whole, and kept where its
 * subclass keeps it; here it is kept nowhere.
 *
 * What adds or removes a webhook is durable when its promise resolves. What was told may not be: who loses it tells some of it
 * again.
 */
import type { RoomId } from '@weft/core';
import type { AddedWebhook } from './webhook-desk.js';

export type Line =
  | { readonly add: AddedWebhook }
  | { readonly remove: string }
  | { readonly told: readonly [webhook: string, room: RoomId, seq: number, node?: string] };

/** Up to where a webhook was told of a room. */
export interface Told {
  /** Number of nodes. */
  readonly seq: number;
  /** Id of the last of them; unknown where they were there before the webhook. */
  readonly node?: string | undefined;
}

export class Journal {
  readonly webhooks = new Map<string, AddedWebhook>();
  readonly #told = new Map<string, Map<RoomId, Told>>();
  #last: Promise<void> = Promise.resolve();

  /** What a webhook was told of a room; undefined where it never was told anything. */
  toldOf(webhook: string, room: RoomId): Told | undefined {
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

  /** Notes what was told; 0 nodes where the room is gone. */
  told(webhook: string, room: RoomId, told: Told): Promise<void> {
    return this.#write([lineOf(webhook, room, told)], false);
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
  }

  protected apply(line: Line): void {
    if ('add' in line) this.webhooks.set(line.add.id, line.add);
    else if ('remove' in line) {
      this.webhooks.delete(line.remove);
      this.#told.delete(line.remove);
    } else {
      const [webhook, room, seq, node] = line.told;
      const rooms = this.#told.get(webhook) ?? new Map<RoomId, Told>();
      if (seq === 0) rooms.delete(room);
      else rooms.set(room, { seq, node });
      this.#told.set(webhook, rooms);
    }
  }

  /** What is needed of all that was written. */
  protected needed(): Line[] {
    return [...this.webhooks.values()].flatMap((webhook) => [
      ...[...(this.#told.get(webhook.id) ?? [])].map(([room, told]) => lineOf(webhook.id, room, told)),
      { add: webhook },
    ]);
  }

  /** Keeps lines; those that are durable outlive a machine that loses power. */
  protected keep(_lines: readonly Line[], _isDurable: boolean): Promise<void> {
    return Promise.resolve();
  }

  /** Called when what was kept is applied. */
  protected kept(_count: number): Promise<void> {
    return Promise.resolve();
  }

  /** One after the other: lines are kept in the order in which they count. */
  #write(lines: readonly Line[], isDurable: boolean): Promise<void> {
    const written = this.#last.then(async () => {
      await this.keep(lines, isDurable);
      for (const line of lines) this.apply(line);
      await this.kept(lines.length);
    });
    this.#last = written.catch(() => undefined);
    return written;
  }
}

function lineOf(webhook: string, room: RoomId, { seq, node }: Told): Line {
  return { told: node === undefined ? [webhook, room, seq] : [webhook, room, seq, node] };
}
