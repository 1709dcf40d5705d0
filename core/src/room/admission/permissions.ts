/**
 * Permissions: whether nodes may write where they do. [PO3]
 *
 * What their authors knew decides, by the policy of the causal past; on a server also the policy that is in force now, and
 * where the token of the peer that pushes lets it write. Authorities may write everywhere.
 */
import type { Globs } from '../../access/glob.js';
import { NONE } from '../../codec/nodes/node-table.js';
import { isSystemKey } from '../../crdt/system-keys.js';
import type { NodeReason } from '../../rejection.js';
import { type Law, POLICY_KEY } from '../state/laws.js';
import { ComingLaws, type Judged } from './coming-laws.js';

export interface PermissionRules {
  /** Whether the policy that is in force now counts too. */
  readonly isServer: boolean;
  /** Where the peer that pushes may write, if not everywhere. */
  readonly mayWrite?: Globs | undefined;
  /** Whether the room has no space for what is judged. [LM8] */
  readonly isFull?: boolean;
}

export class Permissions {
  readonly #judged: Judged;
  readonly #mayWrite: Globs | undefined;
  readonly #isFull: boolean;
  readonly #inForce: Law | undefined;
  readonly #coming: ComingLaws | undefined;

  constructor(judged: Judged, { isServer, mayWrite, isFull = false }: PermissionRules) {
    const { laws, table } = judged;
    this.#judged = judged;
    this.#mayWrite = mayWrite;
    this.#isFull = isFull;
    laws.follow();
    const hasLaws = !laws.isEmpty || table.keys.find(POLICY_KEY) !== undefined;
    this.#coming = hasLaws ? new ComingLaws(judged) : undefined;
    this.#inForce = isServer ? laws.law(laws.inForce) : undefined;
  }

  /** Whether the first nodes, each the `prev` of the next and of one author, may all write where they do. False: look closer. */
  allowsRun(nodes: number): boolean {
    if (this.#isFull) return false;
    if (!this.#coming && !this.#mayWrite) return true;
    const { table, authorities } = this.#judged;
    if (table.keys.find(POLICY_KEY) !== undefined) return false;
    const author = table.identities.list[table.identity.values[0]!]!.authorName;
    if (authorities.has(author)) return true;
    const law = this.#lawOfRun(nodes);
    if (law === 'several') return false;
    const isSeen = new Uint8Array(table.keys.names.length);
    for (let op = 0; op < table.firstOp(nodes); op++) {
      const key = table.key(op);
      if (isSeen[key] === 1) continue;
      isSeen[key] = 1;
      if (this.#faultOfKey(table.keys.names[key]!, author, law) !== undefined) return false;
    }
    return true;
  }

  #lawOfRun(nodes: number): Law | undefined | 'several' {
    const { table, laws } = this.#judged;
    const numbers = new Set<number>();
    const standOn = (ref: number): void =>
      void (ref < 0 && ref !== NONE && numbers.add(laws.of(this.#judged.heldAs(ref))));
    standOn(table.prev.values[0]!);
    for (let i = 0; i < table.firstParent(nodes); i++) standOn(table.parents.values[i]!);
    if (numbers.size > 1) return 'several';
    const [number] = numbers;
    return number === undefined ? undefined : laws.law(number);
  }

  /** Call for each place in order. */
  faultOf(place: number): NodeReason | undefined {
    const law = this.#coming?.next(place);
    if (this.#isFull) return 'room-full';
    if (!this.#coming && !this.#mayWrite) return undefined;
    const { table, authorities } = this.#judged;
    const author = table.identities.list[table.identity.values[place]!]!.authorName;
    if (authorities.has(author)) return undefined;
    for (let op = table.firstOp(place); op < table.opsEnd.values[place]!; op++) {
      const fault = this.#faultOfKey(table.keys.names[table.key(op)]!, author, law);
      if (fault) return fault;
    }
    return undefined;
  }

  #faultOfKey(name: string, author: string, law: Law | undefined): NodeReason | undefined {
    if (isSystemKey(name)) return undefined; // another rule's
    if (law && !law.policy.allows(author, name)) return 'policy-denied';
    if (this.#inForce && !this.#inForce.policy.allows(author, name)) return 'policy-changed';
    return this.#mayWrite && !this.#mayWrite.matches(name) ? 'path-forbidden' : undefined;
  }
}
