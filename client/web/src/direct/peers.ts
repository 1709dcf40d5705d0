/**
 * Pages of one room linked to each other, so that they go on when the server has gone: what one writes and shows reaches the
 * others without it, and each tells the server what it wrote when that is back. [decision 246]
 *
 * The server's relay brings them together; each signs its description of the connection, so a link is with who holds the key that
 * the server has named. Nodes are judged as a server's are. Nothing goes over a link to whom the whole room may not be shown.
 */
import type { KeyPair, Peer, Replica, RoomClient } from '@weft/core/client';
import {
  type DirectParts,
  isDescriptionBy,
  ownSince,
  readsWholeUntil,
  signDescription,
  tipOf,
} from '@weft/core/bindings';
import { Link, type Said } from './link.js';

/** How pages are linked to each other. */
export interface LinkOptions {
  /** STUN and TURN servers; none when absent, which is enough within one network. */
  readonly iceServers?: readonly RTCIceServer[];
  /** Links at a time: 8 when absent. What comes by one is passed on to the others. */
  readonly most?: number;
}

/** Links of this page to others in its room. */
export interface PeerLinks {
  /** Public keys of the pages that are linked and may be told. */
  readonly linked: readonly string[];
  onChange(listener: () => void): () => void;
  close(): void;
}

/** A room. */
export interface Linkable {
  readonly name: string;
  readonly replica: Replica;
  readonly client: RoomClient;
  kept(): Promise<void>;
}

/** Links a page with the others in its room. Throws before the room is ready, and where there is no WebRTC. */
export function linkPeers(room: Linkable, options: LinkOptions = {}): PeerLinks {
  return new Links(room, options);
}

const MOST_LINKS = 8;
/** Nodes of one telling. */
const MOST_NODES = 4096;
const PAUSE_MS = 30;
/** Candidates that came before the description that they belong to. */
const MOST_EARLY = 64;
const SIGNALS = ['webrtc-offer', 'webrtc-answer', 'webrtc-ice'];

interface Linked {
  readonly peer: Peer;
  readonly connection: RTCPeerConnection;
  /** Description of the side that has offered. */
  offer: string;
  link: Link | undefined;
  /** Until when the other may be told of the whole room, in Unix milliseconds. */
  mayReadUntil: number;
  /** The newest own node that the other has; undefined for none that is known. */
  tip: string | undefined;
  hasAsked: boolean;
  /** What the other showed last, by the server or over the link: a client forgets what others show with each attempt to connect. */
  shown: unknown;
  readonly early: RTCIceCandidateInit[];
}

type Signal = { readonly type: string; readonly from?: unknown; readonly to?: unknown } & Record<string, unknown>;

class Links implements PeerLinks {
  readonly #room: Linkable;
  readonly #client: RoomClient;
  readonly #options: LinkOptions;
  readonly #own: KeyPair;
  readonly #links = new Map<string, Linked>();
  readonly #listeners = new Set<() => void>();
  readonly #ends: readonly (() => void)[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(room: Linkable, options: LinkOptions) {
    if (typeof RTCPeerConnection === 'undefined') throw new Error('linkPeers needs WebRTC, which this runtime has not');
    this.#room = room;
    this.#client = room.client;
    this.#options = options;
    this.#own = this.#parts.keys;
    this.#ends = [
      this.#client.onPeers(() => this.#meet()),
      this.#client.onPresence((shown) => this.#note(shown)),
      this.#client.onNotice((frame) => this.#signalled(frame)),
      this.#client.onState(() => this.#changedServer()),
      this.#parts.onShow((data) => this.#sayAll({ type: 'shown', data })),
      room.replica.exchange.onWrite(() => this.#soon()),
      room.replica.exchange.onGivenUp(() => this.#soon()),
    ];
    this.#meet();
  }

  get linked(): readonly string[] {
    return [...this.#links].filter(([, linked]) => this.#mayTell(linked)).map(([key]) => key);
  }

  onChange(listener: () => void): () => void {
    if (typeof listener !== 'function') throw new TypeError('a listener is a function');
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
    for (const key of this.#links.keys()) this.#drop(key);
  }

  get #parts(): DirectParts {
    return this.#client.directParts();
  }

  get #isAlone(): boolean {
    return this.#client.state !== 'joined';
  }

  /** Begins with the others that are here: of two pages, the one whose key is smaller does. */
  #meet(): void {
    if (this.#isAlone || this.#isEnded) return;
    for (const peer of this.#client.peers)
      if (this.#own.publicKey < peer.publicKey && !this.#links.has(peer.publicKey) && this.#hasRoom)
        void this.#offer(peer).catch(() => this.#drop(peer.publicKey));
  }

  get #hasRoom(): boolean {
    return this.#links.size < (this.#options.most ?? MOST_LINKS);
  }

  #begin(peer: Peer): Linked {
    const connection = new RTCPeerConnection({ iceServers: [...(this.#options.iceServers ?? [])] });
    const linked: Linked = {
      peer,
      connection,
      offer: '',
      link: undefined,
      mayReadUntil: 0,
      tip: undefined,
      hasAsked: false,
      shown: undefined,
      early: [],
    };
    this.#links.set(peer.publicKey, linked);
    connection.onicecandidate = ({ candidate }) =>
      this.#signal('webrtc-ice', peer.publicKey, { candidate: candidate?.toJSON() ?? null });
    connection.onconnectionstatechange = () => {
      if (['failed', 'closed'].includes(connection.connectionState)) this.#drop(peer.publicKey, linked);
    };
    connection.ondatachannel = ({ channel }) => this.#open(linked, channel);
    return linked;
  }

  async #offer(peer: Peer): Promise<void> {
    const linked = this.#begin(peer);
    this.#open(linked, linked.connection.createDataChannel('weft'));
    await linked.connection.setLocalDescription();
    linked.offer = linked.connection.localDescription?.sdp ?? '';
    const about = { room: this.#room.replica.room, to: peer.publicKey, sdp: linked.offer };
    this.#signal('webrtc-offer', peer.publicKey, {
      sdp: { type: 'offer', sdp: linked.offer },
      sig: await signDescription(this.#parts, about),
    });
  }

  #signal(type: string, to: string, fields: Record<string, unknown>): void {
    if (!this.#isAlone && !this.#isEnded) this.#client.send({ type, to, ...fields });
  }

  #signalled(frame: Signal): void {
    const { type, from, to } = frame;
    if (this.#isEnded || !SIGNALS.includes(type) || to !== this.#own.publicKey || typeof from !== 'string') return;
    void this.#take(type, from, frame).catch(() => this.#drop(from));
  }

  async #take(type: string, from: string, { sdp, sig, candidate }: Signal): Promise<void> {
    const linked = this.#links.get(from);
    if (type === 'webrtc-ice') {
      if (linked && isCandidate(candidate)) await addCandidate(linked, candidate);
      return;
    }
    const text = sdpOf(sdp, type === 'webrtc-offer' ? 'offer' : 'answer');
    if (text === undefined) return;
    if (type === 'webrtc-offer') return this.#answer(from, text, sig);
    if (!linked || linked.connection.signalingState !== 'have-local-offer') return;
    const about = { room: this.#room.replica.room, to: this.#own.publicKey, sdp: text, offer: linked.offer };
    if (await isDescriptionBy(this.#parts, from, about, sig)) await describe(linked, { type: 'answer', sdp: text });
  }

  async #answer(from: string, offer: string, sig: unknown): Promise<void> {
    const peer = this.#client.peers.find(({ publicKey }) => publicKey === from);
    if (!peer || from >= this.#own.publicKey) return;
    const about = { room: this.#room.replica.room, to: this.#own.publicKey, sdp: offer };
    if (!(await isDescriptionBy(this.#parts, from, about, sig))) return;
    this.#drop(from); // it has begun anew
    if (!this.#hasRoom) return;
    const linked = this.#begin(peer);
    await describe(linked, { type: 'offer', sdp: offer });
    await linked.connection.setLocalDescription();
    const sdp = linked.connection.localDescription?.sdp ?? '';
    const answer = { room: about.room, to: from, sdp, offer };
    this.#signal('webrtc-answer', from, {
      sdp: { type: 'answer', sdp },
      sig: await signDescription(this.#parts, answer),
    });
  }

  #open(linked: Linked, channel: RTCDataChannel): void {
    const { publicKey } = linked.peer;
    linked.link = new Link(channel, {
      opened: () => void this.#greet(linked).catch(() => this.#drop(publicKey, linked)),
      said: (said) => void this.#said(linked, said).catch(() => this.#drop(publicKey, linked)),
      nodes: (pack) => this.#nodes(linked, pack),
      ended: () => this.#drop(publicKey, linked),
    });
  }

  async #greet(linked: Linked): Promise<void> {
    const { credential } = this.#parts;
    // A text is for the server's hook, and nobody else's.
    if (typeof credential === 'object') linked.link?.say({ type: 'token', token: credential });
    // What is here without a token and whole, anybody may read.
    if (credential === undefined && this.#room.replica.withheld === 0) this.#allow(linked, Infinity);
    this.#ask(linked);
  }

  #allow(linked: Linked, until: number): void {
    linked.mayReadUntil = until;
    this.#show(linked);
    this.#showPeer(linked);
    this.#tellChanged();
    this.#soon();
  }

  #mayTell({ link, mayReadUntil }: Linked): boolean {
    return link?.isOpen === true && Date.now() < mayReadUntil;
  }

  async #said(linked: Linked, said: Said): Promise<void> {
    const { peer } = linked;
    if (said.type === 'have') {
      linked.tip = said.tip;
      linked.hasAsked = true;
      this.#soon();
    } else if (said.type === 'shown') {
      linked.shown = said.data;
      if (this.#isAlone) this.#parts.hear({ type: 'presence', peer_id: peer.peerId, data: said.data });
    } else {
      const { credential } = this.#parts;
      if (typeof credential !== 'object') return;
      // Whoever has let this page in may let others in.
      const issuers = new Set([credential.issuer]);
      const until = await readsWholeUntil(this.#parts, this.#room.name, peer.publicKey, said.token, issuers);
      if (until !== undefined) this.#allow(linked, until);
    }
  }

  async #nodes(linked: Linked, pack: Uint8Array): Promise<void> {
    const { replica } = this.#room;
    const { accepted } = await replica.receive(pack);
    if (accepted === 0) return;
    void this.#room.kept();
    // Not everybody is linked with everybody.
    for (const other of this.#links.values()) if (other !== linked && this.#mayTell(other)) other.link?.send(pack);
  }

  /** Asks for what this page lacks of what the other has written. */
  #ask({ link, peer }: Linked): void {
    const tip = tipOf(this.#room.replica.exchange, peer.publicKey);
    link?.say({ type: 'have', ...(tip === undefined ? {} : { tip }) });
  }

  #changedServer(): void {
    if (this.#isEnded) return;
    if (!this.#isAlone) return this.#meet();
    for (const linked of this.#links.values()) {
      this.#showPeer(linked);
      if (linked.link?.isOpen) this.#ask(linked);
      if (this.#mayTell(linked)) this.#show(linked);
    }
    this.#soon();
  }

  /** Says what this page shows. */
  #show({ link }: Linked): void {
    const { shown } = this.#parts;
    if (shown) link?.say({ type: 'shown', data: shown.value });
  }

  #note(shown: ReadonlyMap<string, unknown>): void {
    for (const linked of this.#links.values()) linked.shown = shown.get(linked.peer.peerId) ?? linked.shown;
  }

  /** Without a server nobody else says who is here, and what they show. */
  #showPeer({ peer, link, shown }: Linked): void {
    if (!this.#isAlone || !link?.isOpen) return;
    const { publicKey, peerId, peerType, sessionId } = peer;
    const who = { pubkey: publicKey, peer_id: peerId, peer_type: peerType, session_id: sessionId, proven: true };
    this.#parts.hear({ type: 'peer-joined', ...who });
    if (shown !== undefined) this.#parts.hear({ type: 'presence', peer_id: peerId, data: shown });
  }

  #soon(): void {
    if (!this.#isAlone || this.#isEnded) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tellAll().catch(() => this.#soon()); // nodes have other numbers now
    }, PAUSE_MS);
  }

  async #tellAll(): Promise<void> {
    for (const linked of this.#links.values()) {
      while (this.#isAlone && linked.hasAsked && this.#mayTell(linked)) {
        const { tip } = linked;
        const own = await ownSince(this.#room.replica.exchange, tip, MOST_NODES);
        if (!own) break;
        linked.link?.send(own.nodes);
        // Asked again meanwhile: from there.
        if (linked.tip === tip) linked.tip = own.tip;
      }
    }
  }

  #sayAll(said: Said): void {
    if (this.#isAlone) for (const linked of this.#links.values()) if (this.#mayTell(linked)) linked.link?.say(said);
  }

  #drop(key: string, only?: Linked): void {
    const linked = this.#links.get(key);
    if (!linked || (only && linked !== only)) return;
    this.#links.delete(key);
    linked.link?.end();
    linked.connection.close();
    if (this.#isAlone) {
      const { publicKey, peerId, peerType, sessionId } = linked.peer;
      const who = { pubkey: publicKey, peer_id: peerId, peer_type: peerType, session_id: sessionId, proven: true };
      this.#parts.hear({ type: 'peer-left', ...who });
    }
    this.#tellChanged();
  }

  #tellChanged(): void {
    for (const tell of this.#listeners) tell();
  }
}

function sdpOf(description: unknown, type: string): string | undefined {
  if (typeof description !== 'object' || description === null || !('sdp' in description)) return undefined;
  const { sdp } = description;
  return 'type' in description && description.type === type && typeof sdp === 'string' ? sdp : undefined;
}

function isCandidate(candidate: unknown): candidate is RTCIceCandidateInit {
  return typeof candidate === 'object' && candidate !== null && 'candidate' in candidate;
}

async function describe(linked: Linked, description: RTCSessionDescriptionInit): Promise<void> {
  await linked.connection.setRemoteDescription(description);
  for (const candidate of linked.early.splice(0)) await linked.connection.addIceCandidate(candidate);
}

async function addCandidate({ connection, early }: Linked, candidate: RTCIceCandidateInit): Promise<void> {
  if (connection.remoteDescription) await connection.addIceCandidate(candidate);
  else if (early.length < MOST_EARLY) early.push(candidate);
}
