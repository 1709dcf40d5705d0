/**
 * Programs that read along: each follows the log of its room from the position that it has kept, over whatever connections, hosts and
 * restarts, and watches the rows of queries.
 */
import { type RoomClient, Rejection } from '@weft/core';
import { type EventsPosition, type WatchedRow, followEvents, watchProjection } from '@weft/core/following';
import { type ProvenEntry, rowsOfEntries } from '@weft/core/proofs';
import type { Model } from './model.js';

const PREFIX = 'docs/';
/** Queries whose rows are watched, by the names of their projections. */
export const WATCHED: Readonly<Record<string, object>> = {
  'all-docs': { prefix: PREFIX },
  'first-words': { prefix: PREFIX, kind: 'register', order_by: { field: '', direction: 'desc' }, limit: 2 },
};

export class Program {
  readonly room: string;
  readonly name: string;
  readonly #model: Model;
  /** Ids of the nodes that it was told of, since its position was that of no log. */
  #heard: string[] = [];
  #position: EventsPosition | undefined;
  /** Which of the rooms of that name it has heard of. */
  #life: number;
  #client: RoomClient | undefined;
  readonly #rows = new Map<string, readonly WatchedRow[]>();

  constructor(name: string, room: string, model: Model) {
    [this.name, this.room, this.#model] = [name, room, model];
    this.#life = model.lifeOf(room);
  }

  /** Goes on over another client. */
  on(client: RoomClient): void {
    this.#client = client;
    this.#rows.clear();
    this.#follow(client);
    for (const projection of Object.keys(WATCHED)) this.#watch(client, projection);
  }

  #follow(client: RoomClient): void {
    const following = followEvents(client, this.#position ? { from: this.#position } : {}, ({ items, position }) => {
      if (this.#client !== client) return;
      this.#heard.push(...items.map(({ node_id }) => String(node_id)));
      if (this.#heard.length !== position.seq)
        this.#wrong(`${this.#heard.length} nodes up to position ${position.seq}`);
      this.#position = position;
    });
    following.ended.catch((error: unknown) => this.#ended(client, error));
  }

  #ended(client: RoomClient, error: unknown): void {
    if (this.#client !== client || client.state === 'ended') return;
    const reason = error instanceof Rejection ? error.reason : String(error);
    if (reason !== 'reject.checkpoint_not_found') return this.#wrong(`it ends: ${reason}`);
    if (this.#life === this.#model.lifeOf(this.room))
      this.#wrong('its position is of another log, and the room is not');
    this.#life = this.#model.lifeOf(this.room);
    this.#heard = [];
    this.#position = undefined;
    this.#follow(client);
  }

  #watch(client: RoomClient, projection: string): void {
    watchProjection(client, projection, (rows) => {
      if (this.#client === client) this.#rows.set(projection, rows);
    }).ended.catch(() => void this.#rows.delete(projection)); // where there is no such projection
  }

  /** Once nothing is under way any more it has the rows that a query finds in what was proved of the room. */
  async hasRows(projection: string, entries: readonly ProvenEntry[]): Promise<void> {
    const rows = this.#rows.get(projection);
    if (!rows || this.#client?.state !== 'joined') return;
    const under = entries.filter(({ key }) => key.startsWith(PREFIX));
    const found = await rowsOfEntries(WATCHED[projection], under);
    const [has, is] = [JSON.stringify(rows), JSON.stringify(found?.rows)];
    if (has === is) return;
    this.#model.wrong(
      'watched-as-it-is',
      `${this.name} in ${this.room}: of ${projection} it has ${has}, the room ${is}`,
    );
  }

  /** Once nothing is under way any more it has heard all of the log, in its order. */
  hasHeard(): void {
    if (this.#client?.state !== 'joined') return;
    const log = this.#model.logs.get(this.room) ?? [];
    const at = log.findIndex((id, place) => this.#heard[place] !== id);
    if (at >= 0 || this.#heard.length !== log.length)
      this.#wrong(
        `${this.#heard.length} nodes of ${log.length}, at ${at} ${this.#heard[at]?.slice(0, 8)} for ${log[at]?.slice(0, 8)}`,
      );
  }

  #wrong(why: string): void {
    this.#model.wrong('followed-in-order', `${this.name} in ${this.room} has heard ${why}`);
  }
}
