/**
 * Compaction of a room: its log as segments, its state as an image and as a snapshot for others. It changes no answer.
 * [CP1]
 *
 * In order: what is to be kept is made and stored, the snapshot is read again as a stranger would, and the room is rebuilt
 * from what the store gives back. When a stage fails its name is told, and the room goes on as it was: its log is whole.
 */
import { type HostSpeaker, isWithoutVoice } from '../state/speaker-of.js';
import { toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import { frontierOf } from '../../graph/frontier.js';
import type { NodeId } from '../../graph/node.js';
import type { Clock } from '../../ports/clock.js';
import type { Crypto } from '../../ports/crypto.js';
import { StoreError } from '../../ports/store.js';
import { Rejection } from '../../rejection.js';
import { openImage } from '../state/room-state.js';
import { loadImage } from './load-image.js';
import { Snapshot, signSnapshot, snapshotBody } from './snapshot.js';
import type { Upkeep, UpkeepParts } from './upkeep.js';

/** A room is compacted at most so often. */
const LEAST_MS = 60_000;

export interface Compacted {
  readonly snapshot: Uint8Array;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly frontier: readonly NodeId[];
  /** The log's length at that moment. */
  readonly seq: number;
  readonly stateHash: string;
  /** Bytes of the log's packs. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Whether the snapshot is for the peers to hear of: told to one of those who have asked, at most once a minute. */
  readonly isNews: boolean;
}

export interface CompactionParts extends UpkeepParts {
  readonly upkeep: Upkeep;
  readonly crypto: Crypto;
  readonly speaker: HostSpeaker;
  readonly clock: Clock;
}

type Stage = 'compact' | 'snapshot verify' | 'rebuild';

export class Compaction {
  readonly #parts: CompactionParts;
  #running: Promise<Compacted> | undefined;
  #last: (Compacted & { readonly at: number }) | undefined;

  constructor(parts: CompactionParts) {
    this.#parts = parts;
  }

  /** Compacts the room. Callers who ask together share one run; asked again before anything was written, it answers the same. */
  async run(): Promise<Compacted> {
    if (this.#parts.isElsewhere)
      throw new Rejection('room-held', `room ${this.#parts.id} is served by another host: ask there`);
    if (this.#running) return { ...(await this.#running), isNews: false };
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<Compacted> {
    const { clock, state, upkeep, speaker } = this.#parts;
    const passed = this.#last ? clock.now() - this.#last.at : LEAST_MS;
    const wait = passed < 0 ? 0 : LEAST_MS - passed; // the clock may have been set back
    if (this.#last?.seq === state.seq) {
      if (wait > 0) return { ...this.#last, isNews: false };
      this.#last = { ...this.#last, at: clock.now() };
      return this.#last;
    }
    if (wait > 0)
      throw new Rejection('rate-limit', `compact failed: once a minute; try again in ${Math.ceil(wait / 1000)} s`);
    speaker.expectVoice(); // whoever has no say here signs no snapshot
    const compacted = await upkeep.alone(async () => {
      const made = await this.#at('compact', () => this.#make());
      await this.#at('snapshot verify', () => this.#verify(made));
      await this.#at('rebuild', () => this.#rebuild(made));
      return made;
    });
    this.#last = { ...compacted, at: clock.now() };
    return compacted;
  }

  async #make(): Promise<Compacted> {
    const { id, log, state, genesis, speaker, telemetry, upkeep } = this.#parts;
    const { graph, values } = state;
    const bytesBefore = await log.size(id);
    await upkeep.mergeAll();
    await upkeep.letGo(state.seq);
    const { body, ...cut } = await upkeep.writeImage(() => {
      const now = { seq: state.seq, stateHash: values.hash.root(), frontier: frontierOf(graph) };
      return { ...now, body: snapshotBody(graph, values, { ...now, genesis }) };
    });
    const snapshot = await signSnapshot(body, speaker.word);
    telemetry.record('snapshot_total', 1, 'signed');
    const bytesAfter = await log.size(id);
    return { ...cut, snapshot, hash: toHex(sha256(snapshot)), bytesBefore, bytesAfter, isNews: true };
  }

  /** Reads the snapshot as a stranger would. */
  async #verify({ snapshot, seq, stateHash, frontier }: Compacted): Promise<void> {
    const { crypto, speaker } = this.#parts;
    const read = await Snapshot.open(snapshot, crypto);
    if (read.authority !== speaker.now.publicKey) throw new Mismatch('it is signed by another key');
    if (read.seq !== seq || read.stateHash !== stateHash) throw new Mismatch('it is of another state');
    if (read.frontier.join() !== frontier.join()) throw new Mismatch('it has other heads');
  }

  /** Rebuilds the room from what the store gives back, with nothing taken over from memory. */
  async #rebuild({ seq, stateHash, frontier }: Compacted): Promise<void> {
    const { id, images, state } = this.#parts;
    if (seq === 0) return;
    const image = await images.get(id);
    if (!image) throw new Mismatch('the store has no image');
    const rebuilt = state.empty();
    await loadImage(rebuilt, openImage(image), id, images);
    rebuilt.values.hash.loaded(); // it is computed anew
    const isSame = rebuilt.seq === seq && frontierOf(rebuilt.graph).join() === frontier.join();
    if (isSame && rebuilt.values.hash.root() === stateHash) return;
    await images.remove(id);
    throw new Mismatch('it is not the room that was compacted');
  }

  async #at<T>(stage: Stage, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      // Nothing has failed: it is gone, another one by now, or not for this host to speak for.
      if (isWithoutVoice(error)) throw error;
      if (error instanceof Rejection && ['room-deleted', 'room-replaced'].includes(error.reason)) throw error;
      this.#parts.onFault(error);
      throw new Rejection('compact-failed', `${stage} failed: ${shown(error)}`, { cause: error });
    }
  }
}

/** Something is not what it should be. */
class Mismatch extends Error {}

/** Paths and the like are for the operator alone. */
function shown(error: unknown): string {
  if (error instanceof Mismatch || error instanceof Rejection) return error.message;
  if (!(error instanceof StoreError)) return 'internal error';
  return error.fault === 'failed' ? 'the store failed' : `the store is ${error.fault}`;
}
