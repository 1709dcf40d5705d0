/**
 * Proofs of what a room shows, read as somebody does who believes the room's authority and nothing else of its host, and held to the
 * log: a replica that takes in the log up to that moment has to show the same.
 */
import {
  type Crypto,
  type Host,
  type KeyPair,
  type Replica,
  type RoomId,
  type Store,
  createReplica,
  toHex,
} from '@weft/core';
import { type ProvenEntry, type ProvenPage, type SignedValueRoot, valueProofs } from '@weft/core/proofs';

/** What is to be proved. */
export interface Asked {
  readonly prefix: string;
  readonly limit: number;
  /** Moment, in the form of `target_checkpoint`; the room as it is when absent. */
  readonly moment?: object;
}

export interface Proved {
  readonly at: SignedValueRoot;
  readonly entries: readonly ProvenEntry[];
}

export class Prover {
  readonly #crypto: Crypto;
  readonly #log: Store['log'];
  /** Keys of a replica that writes nothing. */
  readonly #keys: KeyPair;

  constructor(crypto: Crypto, log: Store['log'], keys: KeyPair) {
    [this.#crypto, this.#log, this.#keys] = [crypto, log, keys];
  }

  /** All that stands under a prefix, page by page; a text where that proves nothing, undefined where it is refused. */
  async read(host: Host, room: RoomId, { prefix, limit, moment }: Asked): Promise<Proved | string | undefined> {
    const { authorities } = await host.withRoom(room, ({ constitution }) => Promise.resolve(constitution));
    const proofs = await valueProofs({ room, authorities }, this.#crypto);
    const entries: ProvenEntry[] = [];
    let at: SignedValueRoot | undefined;
    for (let after: ProvenPage['after'] = undefined; ;) {
      // The room goes on meanwhile; all pages are to be of one moment.
      const target_checkpoint = at ? { selector: 'seq', canonical_seq: at.seq } : moment;
      const place = after ? { after: { k: after.key, kind: after.kind } } : {};
      const command = { ProveValues: { key_prefix: prefix, limit, target_checkpoint, ...place } };
      const { events } = await host.submit({ room_id: room, command });
      const told = events[0]?.['ValuesProven'];
      if (!told) return undefined;
      const proof = { signed: told['signed'] as Uint8Array, proof: told['proof'] as Uint8Array };
      const page = await proofs.page(proof, { prefix, ...(after ? { after } : {}) });
      if (!page) return `a page under ${prefix} behind ${after?.key ?? 'nothing'} proves nothing`;
      if (at && toHex(at.root) !== toHex(page.at.root)) return `two pages of position ${at.seq} have two roots`;
      at = page.at;
      entries.push(...page.entries);
      after = page.after;
      if (!after) return { at, entries };
    }
  }

  /** What is wrong with what was proved of a moment of the log; undefined where nothing is, or nobody can tell. */
  async faultOf({ at }: Proved, room: RoomId, genesis: Uint8Array, begin: number): Promise<string | undefined> {
    // A replica holds its genesis, which a moment before that does not know of.
    const replica = at.seq === undefined || at.seq <= begin ? undefined : await this.#replicaOf(room, genesis, at.seq);
    if (!replica) return undefined;
    const [theirs, ours] = [`${at.stateHash} ${toHex(at.root)}`, `${replica.stateHash} ${await replica.valueRoot()}`];
    return theirs === ours ? undefined : `at ${at.seq} ${theirs} was proved, and the log says ${ours}`;
  }

  /** A replica of the first nodes of a log; undefined where no record ends there. */
  async #replicaOf(room: RoomId, genesis: Uint8Array, seq: number): Promise<Replica | undefined> {
    const replica = await createReplica({ genesis, keys: this.#keys, crypto: this.#crypto });
    for await (const record of this.#log.read(room, 0)) {
      if (record.seq + record.count > seq) return undefined;
      await replica.receive(record.pack);
      if (record.seq + record.count === seq) return replica;
    }
    return undefined;
  }
}
