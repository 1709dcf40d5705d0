/**
 * Voices of nodes that are being judged: whether each is the authority's, and whose it is, by its causal past, some of which
 * comes with it. [MA3] [SU1]
 */
import { type Accession, type Reign, isTaken, lineTo, reignBy } from '../../access/reign.js';
import { NONE } from '../../codec/nodes/node-table.js';
import { isAboutKeys } from '../state/about-keys.js';
import type { Introduction } from '../state/mandates.js';
import type { Speakers, Voice } from '../state/speakers.js';
import { type Judged, refsOf } from './judged.js';
import type { ComingVoice, Voices } from './key-rules.js';

const NONE_HOLD: ReadonlySet<string> = new Set();

export class ComingVoices implements Voices {
  readonly #judged: Judged;
  readonly #speakers: Speakers;
  readonly #isServer: boolean;
  // By place.
  readonly #introductions: (Introduction | undefined)[] = [];
  readonly #revoked: number[] = [];
  /** By author, where nothing is said about keys. */
  readonly #plain = new Map<string, ComingVoice>();
  readonly #isPlain: boolean;
  /** Who the roots are with what has come. */
  #reign: Reign | undefined;

  constructor(judged: Judged, speakers: Speakers, isServer: boolean) {
    const { table } = judged;
    this.#speakers = speakers;
    this.#judged = judged;
    this.#isServer = isServer;
    speakers.follow();
    this.#isPlain = speakers.isPlain && !table.keys.names.some(isAboutKeys);
  }

  /** Whether nothing was ever said about keys here, and nothing comes. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** Voice of all of the first nodes, each the `prev` of the next, which stand on held ones; undefined: look closer. */
  ofRun(nodes: number): ComingVoice | undefined {
    const { table, heldAs } = this.#judged;
    const speakers = this.#speakers;
    const author = table.identities.list[table.identity.get(0)]!.authorName;
    if (this.#isPlain) return this.#plainVoice(author);
    if (table.keys.names.some(isAboutKeys)) return undefined;
    const prev = table.prev.get(0);
    const introduction = prev === NONE ? undefined : speakers.introductionOf(heldAs(prev));
    if (introduction && introduction.mandate.until > 0) return undefined;
    const known = new Set<number>();
    if (prev !== NONE) known.add(speakers.revokedAfter(heldAs(prev)));
    for (let i = 0; i < table.firstParent(nodes); i++)
      if (table.parents.get(i) < 0) known.add(speakers.revokedAfter(heldAs(table.parents.get(i))));
    const [revoked = 0] = known;
    if (known.size > 1) return undefined;
    return this.#withNow(
      author,
      speakers.voiceAt(author, { introduction, revoked, lamport: 0 }),
      introduction,
      revoked,
    );
  }

  /** Call for each place in order, with its lamport. */
  next(place: number, lamport: number): ComingVoice {
    const { table } = this.#judged;
    const speakers = this.#speakers;
    const author = table.identities.list[table.identity.get(place)]!.authorName;
    if (this.#isPlain) return this.#plainVoice(author);
    const prev = table.prev.get(place);
    const introduction = prev === NONE ? speakers.introductionAt(table, place) : this.#introductionOf(prev);
    let revoked = 0;
    for (const ref of refsOf(table, place)) revoked = speakers.sets.union(revoked, this.#revokedAfter(ref));
    const voice = speakers.voiceAt(author, { introduction, revoked, lamport });
    this.#introductions[place] = introduction;
    const standing = { voice, below: revoked, holding: this.#judged.mandates ?? NONE_HOLD };
    const names = speakers.revokedBy(table, place, standing);
    this.#revoked[place] = names.length > 0 ? speakers.sets.with(revoked, names) : revoked;
    const coming = this.#withNow(author, voice, introduction, revoked);
    const isLate = this.#isLate(speakers.accessionAt(table, place, standing));
    return isLate ? { ...coming, isLate } : coming;
  }

  #isLate(accession: Accession | 'none' | undefined): boolean {
    if (!this.#isServer || !accession || accession === 'none') return false;
    const reign = this.#reignNow;
    if (!isTaken(this.#speakers.first, reign, accession)) return true;
    if (!lineTo(reign).some(({ name }) => name === accession.name)) this.#reign = reignBy(accession);
    return false;
  }

  get #reignNow(): Reign {
    this.#reign ??= this.#speakers.reign;
    return this.#reign;
  }

  #withNow(author: string, voice: Voice, introduction: Introduction | undefined, below: number): ComingVoice {
    const said = { ...voice, author, below };
    if (!this.#isServer) return { ...said, speaksStill: voice.speaks, subjectNow: voice.subject };
    const reign = this.#reignNow;
    const now = this.#speakers.voiceNow(author, introduction, reign);
    const standing = { ...said, speaksStill: voice.speaks && now.speaks, subjectNow: now.subject };
    if (!voice.speaks || now.speaks) return standing;
    const isSuperseded = !reign.roots.has(introduction?.mandate.giver ?? author);
    return { ...standing, lost: isSuperseded ? 'authority-superseded' : 'signer-revoked' };
  }

  #plainVoice(author: string): ComingVoice {
    let voice = this.#plain.get(author);
    if (voice) return voice;
    const speaks = this.#speakers.roots.has(author);
    voice = { author, speaks, speaksStill: speaks, subject: author, subjectNow: author };
    this.#plain.set(author, voice);
    return voice;
  }

  #introductionOf(ref: number): Introduction | undefined {
    const held = this.#judged.heldAs(ref);
    if (held >= 0) return this.#speakers.introductionOf(held);
    return this.#introductions[this.#judged.placeOf(ref)];
  }

  #revokedAfter(ref: number): number {
    const held = this.#judged.heldAs(ref);
    if (held >= 0) return this.#speakers.revokedAfter(held);
    return this.#revoked[this.#judged.placeOf(ref)] ?? 0;
  }
}
