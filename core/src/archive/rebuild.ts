/**
 * A room made again from what an archive holds, in memory and beside all others: every id, seal, parent, policy and value
 * computed anew, and nothing believed. [AR4]
 */
import type { Speaker } from '../access/word.js';
import { DecodeError, equalBytes, fromBase64 } from '../codec/bytes/bytes.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { allOf, rangeOf } from '../codec/nodes/places.js';
import { openPack } from '../codec/packs/pack.js';
import { Pauses } from '../concurrency/pauses.js';
import { type Span, spansOf } from '../crdt/mark-runs.js';
import { resolutionOf } from '../crdt/resolution.js';
import { type NodeId, nameOf } from '../graph/node.js';
import type { Crypto } from '../ports/crypto.js';
import type { Segment } from '../ports/store.js';
import type { NodeReason } from '../rejection.js';
import { Rejection } from '../rejection.js';
import { type CheckedPack, checkSeals } from '../room/admission/checked-pack.js';
import { keyChecks, keyRulesOf } from '../room/admission/known-keys.js';
import { Judgement, type RoomRules } from '../room/admission/judgement.js';
import { permittingBy } from '../room/admission/permissions.js';
import { Snapshot } from '../room/keeping/snapshot.js';
import { type Survey, measure, surveyOf } from '../room/keeping/survey.js';
import { ADOPTED, type Constitution, readGenesis } from '../room/state/genesis.js';
import { heldPack } from '../room/state/partial-pack.js';
import { RoomState } from '../room/state/room-state.js';
import { type Fault, refused } from './refusal.js';
import type { ArchiveSource } from './source.js';

export class Rebuilt {
  readonly state: RoomState;
  readonly survey: Survey;
  /** The archive's room, and all whose nodes it holds, by their geneses. */
  readonly geneses: ReadonlySet<NodeId>;
  /** What its genesis says. */
  readonly constitution: Constitution;
  /** Those in it that were checked. */
  readonly #mandates: ReadonlySet<string>;

  private constructor(state: RoomState, survey: Survey, constitution: Constitution, mandates: ReadonlySet<string>) {
    const lineage: readonly string[] = constitution.lineage?.adopted ?? [];
    this.state = state;
    this.survey = survey;
    this.constitution = constitution;
    this.#mandates = mandates;
    this.geneses = new Set([state.room, ...(lineage as readonly NodeId[]), ...survey.adopted]);
  }

  static async of(source: ArchiveSource, crypto: Crypto): Promise<Rebuilt> {
    const { table } = openPack(fromBase64(source.about.genesis));
    const constitution = readGenesis(table);
    if (!constitution) throw refused('manifest_invalid', 'its genesis is none');
    const { authorities, lineage } = constitution;
    const state = new RoomState(nameOf(table, 0), new Set(authorities));
    const { values } = state;
    const rules: RoomRules = {
      genesis: state.room,
      speakers: state.speakers,
      keys: keyRulesOf(state.speakers),
      runNodes: Number.POSITIVE_INFINITY,
      takesHeaders: true,
      isServer: false,
      permitting: permittingBy(state.laws),
      adopted: {
        has: (genesis) =>
          (lineage?.adopted.includes(genesis) ?? false) || values.registers.find(ADOPTED + genesis) !== undefined,
      },
    };
    const mandates = new Set<string>();
    for await (const pack of source.packs()) {
      const checked = await opened(pack, crypto);
      take(state, checked, rules);
      for (const name of checked.mandates ?? []) mandates.add(name);
    }
    if (state.graph.find(state.room) < 0) throw refused('manifest_invalid', 'the genesis is not among the nodes');
    return new Rebuilt(state, await surveyOf(state, () => measure(state)), constitution, mandates);
  }

  /** All nodes with their seals: to be judged by another room. */
  get pack(): CheckedPack {
    const { graph, seals } = this.state;
    const indices = [...seals.keys()].sort((a, b) => a - b);
    const checked = indices.map((index) => ({ index, signature: seals.get(index)!, valid: true }));
    return { table: graph.table, size: allOf(graph.settled).length, seals: checked, mandates: this.#mandates };
  }

  /** Whether of some nodes only headers are left. */
  get hasHeaders(): boolean {
    return this.state.graph.table.withheld.size > 0;
  }

  /** Who wrote its genesis. */
  get founder(): string {
    const { table } = this.state.graph;
    return table.identities.list[table.identity.get(this.state.graph.find(this.state.room))]!.authorName;
  }

  /** All nodes as records of a log, in the order of the archive's. */
  async records(speaker: Speaker): Promise<readonly Segment[]> {
    const { graph, cuts, seals, seq } = this.state;
    const [records, pauses] = [[] as Segment[], new Pauses()];
    for (let from = 0; from < seq;) {
      const to = cuts.endOfPart(from);
      records.push({ count: to - from, pack: await heldPack(graph, rangeOf(from, to), seals, speaker) });
      from = to;
      await pauses.take();
    }
    return records;
  }

  /** Throws unless a snapshot is of this very state. */
  async checkSnapshot(bytes: Uint8Array, crypto: Crypto): Promise<void> {
    const snapshot = await decoding('the snapshot', () => Snapshot.open(bytes, crypto));
    const { seq, stateHash, frontier } = this.survey;
    const isOurs = snapshot.room === this.state.room && snapshot.seq === seq && snapshot.stateHash === stateHash;
    if (!isOurs || snapshot.frontier.join() !== frontier.join()) throw wrongSnapshot('it is of another checkpoint');
    const theirs = snapshot.resolution()[Symbol.iterator]();
    const pauses = new Pauses();
    for (const { key, kind, bytes: ours } of resolutionOf(this.state.values)) {
      if (pauses.due(1 + ours.length / 32)) await pauses.take();
      const { value, done } = theirs.next();
      if (done || value.key !== key || value.kind !== kind || !equalBytes(value.bytes, ours))
        throw wrongSnapshot(`it has another ${kind} under ${JSON.stringify(key)}`);
      if (kind === 'text' && !areAlike(snapshot.spans(key), this.#spans(key)))
        throw wrongSnapshot(`it has other marks under ${JSON.stringify(key)}`);
    }
    if (!theirs.next().done) throw wrongSnapshot('it has more values');
  }

  #spans(key: string): Span[] {
    const text = this.state.values.markedText(key);
    return text ? spansOf(text) : [];
  }
}

function areAlike(some: readonly Span[], others: readonly Span[]): boolean {
  return some.length === others.length && some.every((span, i) => isAlike(span, others[i]!));
}

function isAlike(one: Span, other: Span): boolean {
  const names = Object.keys(one.marks);
  if (one.text !== other.text || names.length !== Object.keys(other.marks).length) return false;
  return names.every((name) => {
    const [ours, theirs] = [one.marks[name], other.marks[name]];
    return theirs !== undefined && equalBytes(encodeValue(ours), encodeValue(theirs));
  });
}

function take(state: RoomState, pack: CheckedPack, rules: RoomRules): void {
  const judged = new Judgement(pack, state.graph, rules);
  const {
    refused: [first],
    duplicates,
  } = judged.verdict;
  if (first) throw refused(faultOf(first.reason), `node ${first.id} is refused: ${first.reason}`);
  if (duplicates > 0) throw refused('manifest_invalid', 'it holds a node twice');
  const seals = new Map<number, Uint8Array>();
  judged.enter(seals);
  state.settle(seals);
}

function opened(pack: Uint8Array, crypto: Crypto): Promise<CheckedPack> {
  return decoding('a pack of nodes', () => checkSeals(openPack(pack), crypto, () => keyChecks));
}

/** What does not decode, or has not been signed by who should have, is the archive's fault. */
async function decoding<T>(what: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof DecodeError)
      throw refused('manifest_invalid', `${what} does not decode: ${error.message}`, error);
    if (error instanceof Rejection) throw refused('signature_invalid', `${what}: ${error.message}`, error);
    throw error;
  }
}

function faultOf(reason: NodeReason): Fault {
  return reason === 'bad-signature' || reason === 'unsealed' ? 'signature_invalid' : 'manifest_invalid';
}

function wrongSnapshot(why: string): Error {
  return refused('digest_mismatch', `the snapshot is not what the nodes make: ${why}`);
}
