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
import { ComingLamports } from './coming-lamports.js';
import { ComingLaws } from './coming-laws.js';
import type { ComingVoice, KeyRules, Voices } from './key-rules.js';
import type { Judged } from './judged.js';

export interface PermissionRules {
  /** Whether the policy that is in force now counts too. */
  readonly isServer: boolean;
  /** Where the peer that pushes may write, if not everywhere. */
  readonly mayWrite?: Globs | undefined;
  /** Absent while nothing is said about keys. */
  readonly keys?: KeyRules | undefined;
  /** Whether the room has no space for what is judged. [LM8] */
  readonly isFull?: boolean;
}

export class Permissions {
  readonly #judged: Judged;
  readonly #mayWrite: Globs | undefined;
  readonly #isFull: boolean;
  readonly #inForce: Law | undefined;
  readonly #coming: ComingLaws | undefined;
  readonly #lamports: ComingLamports;
  readonly #voices: Voices | undefined;
  /** By author, where nothing is said about keys. */
  readonly #plain = new Map<string, ComingVoice>();

  constructor(judged: Judged, { isServer, mayWrite, isFull = false, keys }: PermissionRules) {
    const { laws, table } = judged;
    this.#judged = judged;
    this.#mayWrite = mayWrite;
    this.#isFull = isFull;
    laws.follow();
    const hasLaws = !laws.isEmpty || table.keys.find(POLICY_KEY) !== undefined;
    this.#coming = hasLaws ? new ComingLaws(judged) : undefined;
    this.#lamports = new ComingLamports(judged);
    this.#voices = keys?.voices(judged, isServer);
    this.#inForce = isServer ? laws.law(laws.inForce) : undefined;
  }

  /** Whether the first nodes, each the `prev` of the next and of one author, may all write where they do. False: look closer. */
  allowsRun(nodes: number): boolean {
    if (this.#isFull) return false;
    if (!this.#coming && !this.#mayWrite) return true;
    const { table, speakers } = this.#judged;
    if (table.keys.find(POLICY_KEY) !== undefined) return false;
    const author = table.identities.list[table.identity.values[0]!]!.authorName;
    if (speakers.roots.has(author)) return true;
    const voice = this.#voices ? this.#voices.ofRun(nodes) : this.#plainVoice(author);
    if (!voice) return false;
    if (voice.speaksStill) return true;
    const law = this.#lawOfRun(nodes);
    if (law === 'several') return false;
    const isSeen = new Uint8Array(table.keys.names.length);
    for (let op = 0; op < table.firstOp(nodes); op++) {
      const key = table.key(op);
      if (isSeen[key] === 1) continue;
      isSeen[key] = 1;
      if (this.#faultOfKey(table.keys.names[key]!, voice, law) !== undefined) return false;
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

  /** Who writes a node, and what is wrong with where it writes. Call for each place in order. */
  next(place: number): { readonly voice: ComingVoice; readonly fault: NodeReason | undefined } {
    const needsLamport = this.#coming !== undefined || this.#voices?.isPlain === false;
    const lamport = needsLamport ? this.#lamports.next(place) : 0;
    const voice = this.#voices?.next(place, lamport) ?? this.#plainVoiceAt(place);
    const law = this.#coming?.next(place, lamport, voice.speaks);
    return { voice, fault: this.#faultOf(place, voice, law) };
  }

  #plainVoiceAt(place: number): ComingVoice {
    const { identities, identity } = this.#judged.table;
    return this.#plainVoice(identities.list[identity.values[place]!]!.authorName);
  }

  #plainVoice(author: string): ComingVoice {
    let voice = this.#plain.get(author);
    if (voice) return voice;
    const speaks = this.#judged.speakers.roots.has(author);
    voice = { author, speaks, speaksStill: speaks, subject: author, subjectNow: author };
    this.#plain.set(author, voice);
    return voice;
  }

  #faultOf(place: number, voice: ComingVoice, law: Law | undefined): NodeReason | undefined {
    if (this.#isFull) return 'room-full';
    if (!this.#coming && !this.#mayWrite) return undefined;
    if (voice.speaksStill) return undefined;
    const { table } = this.#judged;
    for (let op = table.firstOp(place); op < table.opsEnd.values[place]!; op++) {
      const fault = this.#faultOfKey(table.keys.names[table.key(op)]!, voice, law);
      if (fault) return fault;
    }
    return undefined;
  }

  #faultOfKey(name: string, voice: ComingVoice, law: Law | undefined): NodeReason | undefined {
    if (isSystemKey(name)) return undefined; // another rule's
    if (law && !isAllowed(law, voice.author, voice.subject, name)) return 'policy-denied';
    if (this.#inForce && !isAllowed(this.#inForce, voice.author, voice.subjectNow, name)) return 'policy-changed';
    return this.#mayWrite && !this.#mayWrite.matches(name) ? 'path-forbidden' : undefined;
  }
}

/** A policy lets a key write where it names the key or the subject whose it is. [SU2] */
function isAllowed({ policy }: Law, author: string, subject: string, name: string): boolean {
  return policy.allows(author, name) || (subject !== author && policy.allows(subject, name));
}
