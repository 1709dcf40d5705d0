/** Who signs for a host in a room. [MA4] */
import type { Authority, RoomSpeaker } from '../../access/authority.js';
import { type Mandate, isFor, readMandate } from '../../access/mandate.js';
import { type Reign, accessionTo, reignBy } from '../../access/reign.js';
import { readSuccession } from '../../access/succession.js';
import type { Speaker } from '../../access/word.js';
import type { Signer } from '../../ports/crypto.js';
import { Rejection } from '../../rejection.js';
import { ROOTS, SIGNER, SIGNER_REVOKED } from './key-facts.js';
import type { Speakers } from './speakers.js';
import type { Write } from './write.js';

const WITHOUT_VOICE: ReadonlySet<string> = new Set([
  'authority-missing',
  'authority-revoked',
  'authority-superseded',
  'room-moved',
]);

/** Whether something was refused because this host has no say in the room. */
export function isWithoutVoice(error: unknown): error is Rejection {
  return error instanceof Rejection && WITHOUT_VOICE.has(error.reason);
}

export interface Signing {
  readonly signer: Signer;
  readonly authority?: Authority | undefined;
  /** Whether whoever has begun the room has no say in it. */
  readonly isFounded?: boolean;
}

/** Who speaks for a host in a room at one moment. */
interface Voice {
  readonly now: RoomSpeaker;
  readonly word: RoomSpeaker;
  /** Whether nobody may: whatever `now` would sign is refused. */
  readonly isMute: boolean;
  /** Under which the room is elsewhere, by what roots have said that is not said in it yet. */
  readonly leaving: Reign | undefined;
}

/** Speaker of a host in one room: it may be another one when the roots of the room have changed. */
export class HostSpeaker {
  readonly #signing: Signing;
  readonly #speakers: Speakers;
  /** Those that have been asked, by their keys. */
  readonly #known = new Map<string, Speaker>();
  #reign: Reign | undefined;
  #edition: number | undefined;
  /** The last lamport at which its certificate counts; 0 for good. */
  #until = 0;
  #voice: Voice | undefined;

  constructor(signing: Signing, speakers: Speakers) {
    this.#signing = signing;
    this.#speakers = speakers;
  }

  #look(): Voice {
    const { reign, room } = this.#speakers;
    const edition = this.#signing.authority?.edition;
    const isSame = reign === this.#reign && edition === this.#edition && !this.#isSpent;
    if (isSame && this.#voice) return this.#voice;
    const found = findSpeaker(this.#signing, room, reign, this.#speakers.nextLamport);
    const now = found ?? mute(this.#signing, reign, room);
    this.#reign = reign;
    this.#edition = edition;
    this.#until = found?.mandate ? readMandate(found.mandate).until : 0;
    const leaving = leavingFrom(this.#signing, reign, room);
    this.#voice = { now, word: this.#standing(now), isMute: !found, leaving };
    this.#known.set(now.publicKey, now);
    return this.#voice;
  }

  /** Who it is now, by all that is held. */
  get now(): RoomSpeaker {
    return this.#look().now;
  }

  /**
   * Who signs what stands outside the history: headers, snapshots, tombstones. A key that is revoked signs none of it, since whoever has
   * not heard of that would believe it. Nodes are signed by `now`: whether they may be written is asked before they are.
   */
  get word(): RoomSpeaker {
    return this.#look().word;
  }

  #standing(speaker: RoomSpeaker): RoomSpeaker {
    const { publicKey } = speaker;
    const sign = async (message: Uint8Array): Promise<Uint8Array> => {
      const { reign } = this.#speakers;
      const isRevoked = !reign.roots.has(publicKey) && this.#speakers.isRevokedSigner(publicKey);
      if (isRevoked || this.#isTakenBack(speaker)) throw revokedHere(publicKey);
      return speaker.sign(message);
    };
    return { ...speaker, publicKey, sign };
  }

  /** Whether roots have revoked its key by what this host knows, whether that is said in the room or not. */
  #isTakenBack({ publicKey, succession }: RoomSpeaker): boolean {
    const { reign, room } = this.#speakers;
    const next = (succession && reignAfter(reign, succession, room)) ?? reign;
    return isTakenBack(this.#signing.authority, publicKey, next, room);
  }

  get #isSpent(): boolean {
    return this.#until > 0 && this.#until < this.#speakers.nextLamport;
  }

  /**
   * Who signs what is carried away from here. Where the room has moved, that is who has spoken for this host last: the new one has none
   * of it yet, and nobody else could hand it over.
   */
  get last(): RoomSpeaker {
    const { word, isMute } = this.#look();
    const { reign, room } = this.#speakers;
    if (!isMute || reign.address === '') return word;
    for (let { by } = reign; by; by = by.before.by) {
      const found = findSpeaker(this.#signing, room, by.before, this.#speakers.nextLamport);
      if (found) return this.#standing(found);
    }
    return word;
  }

  /** Signer of a node that it has written. */
  by(author: string): Speaker {
    return this.#known.get(author) ?? this.now;
  }

  /** Throws where the room has moved, and this host has no say in it any more: nothing is taken here then. */
  expectHome(): void {
    const { authority } = this.#signing;
    const { reign, room } = this.#speakers;
    if (reign.address === '' && authority === undefined) return;
    const { leaving, isMute } = this.#look();
    if (leaving) throw missing(leaving, authority, room);
    if (reign.address !== '' && isMute) throw missing(reign, authority, room);
  }

  /** Whether there is something to be said, and it may say it. */
  get hasToSay(): boolean {
    const { now, isMute } = this.#look();
    return !isMute && (now.succession !== undefined || this.due.length > 0);
  }

  /** How much there may be to say at most. */
  get most(): number {
    const { successions = [], revocations = [] } = this.#signing.authority ?? {};
    return successions.length + revocations.length;
  }

  /** What is to be said for the roots of this host in the room, beside who it is itself. */
  get due(): readonly Write[] {
    const { successions = [], revocations = [] } = this.#signing.authority ?? {};
    const { reign, room } = this.#speakers;
    const { succession } = this.now;
    const next = succession === undefined ? reign : (reignAfter(reign, succession, room) ?? reign);
    const change = succession ?? successions.find((bytes) => reignAfter(reign, bytes, room));
    const revoked = revocations.filter((bytes) => this.#isToBeRevoked(readMandate(bytes), next));
    return [
      ...revoked.map((bytes) => ({ key: SIGNER_REVOKED + readMandate(bytes).key, value: bytes })),
      // Whoever says it in place of its own introduction has no say from then on.
      ...(change && !succession ? [{ key: ROOTS, value: change }] : []),
    ];
  }

  #isToBeRevoked(mandate: Mandate, { roots }: Reign): boolean {
    const { giver, key } = mandate;
    const has = this.#speakers.hasIntroduced(key) && !this.#speakers.isRevokedSigner(key);
    return has && roots.has(giver) && isFor(mandate, this.#speakers.room);
  }

  /** Throws where nothing that it writes would count, or its key is revoked. */
  expectVoice(): void {
    this.expectBelief();
    const { now } = this;
    if (this.#isTakenBack(now)) throw revokedHere(now.publicKey);
  }

  /** Throws where nothing that it writes would count by what the room has heard: its last word may be that its own key is revoked. */
  expectBelief(): void {
    if (!this.#signing.authority && this.now === this.#signing.signer) return;
    expectVoice(this.now, this.#speakers, this.#signing.authority);
  }
}

/** Who speaks for a host in a room of such a reign that is not open; throws where nobody does, or by a key that is revoked. */
export function expectSpeaker(
  signing: Signing,
  room: string | undefined,
  reign: Reign,
  isRevoked: (key: string) => boolean,
): RoomSpeaker {
  const speaker = findSpeaker(signing, room, reign);
  if (!speaker) throw missing(reign, signing.authority, room);
  const { publicKey } = speaker;
  const isRoot = reign.roots.has(publicKey);
  if (!isRoot && (isRevoked(publicKey) || isTakenBack(signing.authority, publicKey, reign, room)))
    throw revokedHere(publicKey);
  return speaker;
}

/** Speaker in such a room, whose signatures are refused where `expectSpeaker` would: where there is nothing to sign, none is needed. */
export function speakerOf(
  signing: Signing,
  room: string | undefined,
  reign: Reign,
  isRevoked: (key: string) => boolean,
): RoomSpeaker {
  const speaker = findSpeaker(signing, room, reign) ?? mute(signing, reign, room);
  const sign = async (message: Uint8Array): Promise<Uint8Array> =>
    expectSpeaker(signing, room, reign, isRevoked).sign(message);
  return { ...speaker, publicKey: speaker.publicKey, sign };
}

function isTakenBack(
  authority: Authority | undefined,
  key: string,
  { roots }: Reign,
  room: string | undefined,
): boolean {
  if (roots.has(key)) return false;
  return (authority?.revocations ?? []).some((bytes) => {
    const mandate = readMandate(bytes);
    return mandate.key === key && roots.has(mandate.giver) && isFor(mandate, room);
  });
}

function findSpeaker(
  { signer, authority, isFounded = false }: Signing,
  room: string | undefined,
  reign: Reign,
  lamport?: number,
): RoomSpeaker | undefined {
  if (!authority) return reign.roots.has(signer.publicKey) || !(isFounded || reign.by) ? signer : undefined;
  return authority.speakerIn(room ?? '', reign, lamport);
}

/** Without a say in the room, it reads and serves it, and whatever it would sign is refused. */
function mute({ signer, authority }: Signing, reign: Reign, room: string | undefined): RoomSpeaker {
  return { publicKey: signer.publicKey, sign: () => Promise.reject(missing(reign, authority, room)) };
}

function reignAfter(reign: Reign, succession: Uint8Array, room: string | undefined): Reign | undefined {
  const accession = accessionTo(reign, succession, readSuccession(succession), room);
  return accession && reignBy(accession);
}

/** Reign that follows from all that roots have said, where the room moves by it and this host has no say in it then. */
function leavingFrom(signing: Signing, before: Reign, room: string | undefined): Reign | undefined {
  const { successions = [] } = signing.authority ?? {};
  let reign = before;
  for (let most = successions.length; most > 0; most--) {
    const next = successions.map((bytes) => reignAfter(reign, bytes, room)).find(Boolean);
    if (!next) break;
    reign = next;
  }
  return reign === before || reign.address === '' || findSpeaker(signing, room, reign) ? undefined : reign;
}

function expectVoice(
  { publicKey, mandate: bytes, succession }: RoomSpeaker,
  speakers: Speakers,
  authority: Authority | undefined,
): void {
  const { room } = speakers;
  const reign = (succession && reignAfter(speakers.reign, succession, room)) ?? speakers.reign;
  if (reign.roots.has(publicKey)) return;
  if (!bytes) throw missing(reign, authority, room);
  const introduction = speakers.introductionBy(publicKey) ?? { matter: 'signer', mandate: readMandate(bytes), bytes };
  if (speakers.voiceNow(publicKey, introduction, reign).speaks) return;
  const { until } = introduction.mandate;
  if (until > 0 && until < speakers.nextLamport)
    throw new Rejection(
      'authority-missing',
      `the certificate of this server counts up to lamport ${until}, and this room is at ${speakers.nextLamport - 1}: certify a new key of it, with weft authority request --new and weft authority certify`,
    );
  if (!speakers.isRevokedSigner(publicKey)) throw missing(reign, authority, room);
  throw revokedHere(publicKey);
}

function revokedHere(publicKey: string): Rejection {
  const why = `the key ${publicKey} of this server is revoked in this room; certify another one`;
  return new Rejection('authority-revoked', why);
}

/** What a speaker writes first. */
export function introducing({ publicKey, mandate, succession }: RoomSpeaker): readonly Write[] {
  if (!mandate) return succession ? [{ key: ROOTS, value: succession }] : [];
  const introduction = { key: SIGNER + publicKey, value: mandate };
  return succession ? [{ key: ROOTS, value: succession }, introduction] : [introduction];
}

/** Why a host has no say where these are the roots. */
function missing(reign: Reign, authority: Authority | undefined, room: string | undefined): Rejection {
  const { roots, address, by } = reign;
  if (address !== '') return new Rejection('room-moved', `this room has moved to ${address}`, { data: address });
  if (authority?.silence !== undefined) return new Rejection('authority-missing', authority.silence);
  const next = authority?.successions?.find((bytes) => reignAfter(reign, bytes, room));
  // An introduction brings one change alone: each that is behind it was said by who speaks after the one before.
  if (next)
    return new Rejection(
      'authority-missing',
      `this room has not heard of its last changes of roots: a key that ${readSuccession(next).roots.join(', ')} has certified has to say so first, so start a server that has one too`,
    );
  const named = [...roots].join(', ');
  if (!by)
    return new Rejection('authority-missing', `no root of this room has certified the key of this server: ${named}`);
  return new Rejection(
    'authority-superseded',
    `the roots of this room are others now, and have not certified the key of this server: ${named}`,
  );
}
