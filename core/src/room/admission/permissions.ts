/**
 * Permissions: whether nodes may write where they do. [PO3]
 *
 * What their authors knew decides, by the policy of the causal past; on a server also the policy that is in force now, and
 * where the token of the peer that pushes lets it write. Authorities may write everywhere.
 */
import type { Globs } from '../../access/glob.js';
import { NONE } from '../../codec/nodes/node-table.js';
import { POLICY_KEY, isSystemKey } from '../../crdt/system-keys.js';
import type { NodeReason } from '../../rejection.js';
import type { Law, Laws } from '../state/laws.js';
import { ComingLamports } from './coming-lamports.js';
import { ComingLaws } from './coming-laws.js';
import type { ComingVoice, Voices } from './key-rules.js';
import type { Judged } from './judged.js';
import { PlainVoices } from './open-permissions.js';
import type { PermissionRules, Permits, Permitting } from './permits.js';

/** Permissions by the laws of a room. */
export function permittingBy(laws: Laws): Permitting {
  return (judged, rules) => new Permissions(judged, laws, rules);
}

class Permissions implements Permits {
  readonly #judged: Judged;
  readonly #laws: Laws;
  readonly #mayWrite: Globs | undefined;
  readonly #isFull: boolean;
  readonly #inForce: Law | undefined;
  readonly #coming: ComingLaws | undefined;
  readonly #lamports: ComingLamports;
  readonly #voices: Voices | undefined;
  readonly #plain: PlainVoices;

  constructor(judged: Judged, laws: Laws, { isServer, mayWrite, isFull = false, keys }: PermissionRules) {
    const { table } = judged;
    this.#judged = judged;
    this.#laws = laws;
    this.#plain = new PlainVoices(judged);
    this.#mayWrite = mayWrite;
    this.#isFull = isFull;
    laws.follow();
    const hasLaws = !laws.isEmpty || table.keys.find(POLICY_KEY) !== undefined;
    this.#coming = hasLaws ? new ComingLaws(judged, laws) : undefined;
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
    const author = table.identities.list[table.identity.get(0)]!.authorName;
    if (speakers.roots.has(author)) return true;
    const voice = this.#voices ? this.#voices.ofRun(nodes) : this.#plain.of(author);
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
    const { table } = this.#judged;
    const laws = this.#laws;
    const numbers = new Set<number>();
    const standOn = (ref: number): void =>
      void (ref < 0 && ref !== NONE && numbers.add(laws.of(this.#judged.heldAs(ref))));
    standOn(table.prev.get(0));
    for (let i = 0; i < table.firstParent(nodes); i++) standOn(table.parents.get(i));
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
    return this.#plain.of(identities.list[identity.get(place)]!.authorName);
  }

  #faultOf(place: number, voice: ComingVoice, law: Law | undefined): NodeReason | undefined {
    if (this.#isFull) return 'room-full';
    if (!this.#coming && !this.#mayWrite) return undefined;
    if (voice.speaksStill) return undefined;
    const { table } = this.#judged;
    for (let op = table.firstOp(place); op < table.opsEnd.get(place); op++) {
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
