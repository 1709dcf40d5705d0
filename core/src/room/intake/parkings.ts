/** What sessions have sent too early, one parking for each. Without a session nothing waits afterwards. */
import type { Globs } from '../../access/glob.js';
import type { Graph } from '../../graph/graph.js';
import type { Crypto } from '../../ports/crypto.js';
import type { CheckedPack } from '../admission/checked-pack.js';
import type { Judgement } from '../admission/judgement.js';
import type { CommitOrigin } from '../writing/commit.js';
import type { Allowance } from './parked.js';
import { Parking } from './parking.js';

export interface ParkingsParts {
  readonly crypto: Crypto;
  /** For what all of them hold together. */
  readonly shared: Allowance | undefined;
  /** `bytes` hold what the pack holds, and nothing else. */
  readonly judge: (
    pack: CheckedPack,
    origin: CommitOrigin,
    mayWrite: Globs | undefined,
    bytes?: Uint8Array,
  ) => Promise<Judgement>;
  readonly onFault: (error: unknown) => void;
}

export class Parkings {
  readonly #parts: ParkingsParts;
  readonly #bySession = new Map<string, Parking>();

  constructor(parts: ParkingsParts) {
    this.#parts = parts;
  }

  /** `mayWrite` is the same whenever a session asks. */
  of(origin: CommitOrigin, mayWrite: Globs | undefined): Parking {
    const { crypto, judge, shared } = this.#parts;
    const newParking = (allowance?: Allowance): Parking =>
      new Parking(crypto, (pack, bytes) => judge(pack, origin, mayWrite, bytes), allowance);
    if (origin.session === undefined) return newParking();
    const known = this.#bySession.get(origin.session) ?? newParking(shared);
    this.#bySession.set(origin.session, known);
    return known;
  }

  get areEmpty(): boolean {
    for (const parking of this.#bySession.values()) if (!parking.isEmpty) return false;
    return true;
  }

  forget(session: string): void {
    this.#bySession.get(session)?.close();
    this.#bySession.delete(session);
  }

  forgetAll(): void {
    for (const session of this.#bySession.keys()) this.forget(session);
  }

  /** Judges again what has waited for one of the nodes from `from` on. */
  wake(graph: Graph, from: number): void {
    for (const parking of this.#bySession.values())
      if (parking.isAwaited(graph, from)) parking.judgeAgain().catch(this.#parts.onFault);
  }
}
