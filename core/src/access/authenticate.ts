/**
 * Decides what a connecting peer may do, from the token and the proof in its hello. [AU]
 *
 * The checks come in one order and each refusal has one text: clients tell them apart by these. Nothing is believed
 * that is not signed, and naming a public key gives nobody anything.
 */
import { fromHex } from '../codec/bytes/bytes.js';
import type { Crypto } from '../ports/crypto.js';
import { Rejection } from '../rejection.js';
import { type CompleteGrant, type EntryHello, areCaps } from './entry-hook.js';
import type { Requirement } from './entry.js';
import { type Proof, proofMessage } from './proof.js';
import { HOOK, NO_RIGHTS, type Rights, SERVER, mayEnter, rightsOf } from './rights.js';
import { type Token, tokenMessage } from './token.js';
import { TokenExpired } from './token-expired.js';
import type { UsedProofs } from './used-proofs.js';

/** How far a proof's time may lie from the server's. */
export const PROOF_WINDOW_MS = 60_000;

/** What a hello says of itself. */
export interface Claims {
  /** Lower-case hex, if the peer names one. */
  readonly pubkey: string | undefined;
  /** Whose key that is, where it is another one's: a token for that one holds for this peer. [SU3] */
  readonly subject?: string | undefined;
  readonly token: unknown;
  readonly proof: unknown;
  readonly peerId?: string | undefined;
  readonly peerType?: string | undefined;
}

/** What the server knows. */
export interface Gate {
  readonly room: string;
  /** What every peer must show here, whether the room is locked or not. */
  readonly require: Requirement;
  /** Public key that the room is locked with. */
  readonly lock: string | undefined;
  /** Public key whose tokens hold in every room. */
  readonly adminKey: string | undefined;
  /** Lower-case `host:port` names under which this server is dialled. */
  readonly audiences: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
  readonly startedAt: number;
  readonly usedProofs: UsedProofs;
  /** A public key that needs no proof: whoever embeds the host answers for it. */
  readonly vouched?: string | undefined;
  /** Asks the authentication hook, if there is one; answers undefined where it leaves the peer to the other rules. */
  readonly askHook?: ((hello: EntryHello) => Promise<CompleteGrant | undefined>) | undefined;
  /** Tokens of the peer that expire before this Unix second are revoked. */
  revokedBefore(peer: string): number;
  readonly crypto: Crypto;
}

export async function authenticate(claims: Claims, gate: Gate): Promise<Rights> {
  const { token } = claims;
  if (gate.askHook && !isOurs(token)) return admitted(claims, gate, gate.askHook);
  if (token === undefined) mustNotNeedToken(gate);
  const granted = token === undefined ? undefined : await checkToken(readToken(token), claims, gate);
  const proven = await provenBy(claims, gate);
  if (!granted) return { ...NO_RIGHTS, proven };
  return rightsByToken(granted, proven);
}

/** Rights by another token of a peer that has proved its key already. What is wrong with it ends nothing: the one before still holds. [AU9] */
export async function renew(claims: Omit<Claims, 'proof'>, gate: Gate): Promise<Rights> {
  const { token } = claims;
  if (token === undefined) throw refused('missing token');
  try {
    if (gate.askHook && !isOurs(token)) return await hooked(claims, { proven: true, isRecheck: false }, gate.askHook);
    return rightsByToken(await checkToken(readToken(token), claims, gate), true);
  } catch (error) {
    if (error instanceof TokenExpired) throw refused('token has expired');
    throw error;
  }
}

function rightsByToken(granted: Granted, proven: boolean): Rights {
  const rights = rightsOf(granted, proven);
  return granted.holder === undefined ? rights : { ...rights, holder: granted.holder };
}

type AskHook = NonNullable<Gate['askHook']>;

/** Rights by the word of the hook, which hears of a peer when its key is proved, and so of nobody who merely claims one. [AU10] */
async function admitted(claims: Claims, gate: Gate, askHook: AskHook): Promise<Rights> {
  const proven = await provenBy(claims, gate);
  const { pubkey, token, peerId, peerType } = claims;
  const grant = await askHook({ pubkey, proven, isRecheck: false, token, peerId, peerType });
  if (grant) return rightsOfGrant(grant, proven);
  if (token === undefined) mustNotNeedToken(gate);
  else readToken(token); // which says what is wrong with it
  return { ...NO_RIGHTS, proven };
}

/** Rights by the word of the hook alone, of somebody who is in the room, or shows it a credential. [AU11] */
export async function hooked(
  claims: Omit<Claims, 'proof'>,
  { proven, isRecheck }: Pick<EntryHello, 'proven' | 'isRecheck'>,
  askHook: AskHook,
): Promise<Rights> {
  const { pubkey, token, peerId, peerType } = claims;
  const grant = await askHook({ pubkey, proven, isRecheck, token, peerId, peerType });
  if (!grant) throw refused('token not recognised');
  return rightsOfGrant(grant, proven);
}

function rightsOfGrant({ caps, expiry, issuedAt, subject, recheckAfter }: CompleteGrant, proven: boolean): Rights {
  return {
    ...rightsOf({ caps, expiry, issuer: HOOK }, proven),
    issuedAt,
    ...(subject === undefined ? {} : { subject }),
    ...(recheckAfter === undefined ? {} : { recheckAfter }),
  };
}

/** Whether it is meant as a token of a key that we know, and not for the hook. */
function isOurs(token: unknown): boolean {
  return typeof token === 'object' && token !== null && 'sig' in token;
}

function mustNotNeedToken({ lock, require }: Gate): void {
  if (lock !== undefined) throw refused('room locked');
  if (require === 'token') throw refused('missing token');
}

/** Whether the peer has proved its key; refuses who had to. */
async function provenBy({ pubkey, proof }: Claims, gate: Gate): Promise<boolean> {
  if (pubkey !== undefined && pubkey === gate.vouched) return true;
  if (proof !== undefined) return checkProof(readProof(proof), pubkey, gate);
  if (gate.lock !== undefined || gate.require !== 'open') throw refused('missing proof');
  return false;
}

/** Refuses what does not hold any more: a room may change while signatures are verified. [AU5] [AU6] */
export function checkAgain(
  rights: Rights,
  pubkey: string | undefined,
  { lock, revokedBefore }: { readonly lock: string | undefined; readonly revokedBefore: (peer: string) => number },
): void {
  const holder = rights.holder ?? pubkey;
  if (holder !== undefined && rights.expiry !== undefined && rights.expiry < revokedBefore(holder))
    throw refused('token revoked');
  if (lock !== undefined && !mayEnter(rights, lock)) throw refused('room locked');
}

type ReadToken = Omit<Token, 'issuer'> & { readonly issuer: string | undefined };
type Granted = Pick<Token, 'caps' | 'expiry' | 'issuer'> & Pick<Rights, 'holder'>;

function readToken(value: unknown): ReadToken {
  const field = fieldsOf(value, 'token');
  const peer = field('peer_pubkey', isKey);
  const expiry = field('expiry', isTime);
  const sig = field('sig', isSignature);
  const caps = field('caps', areCaps, []);
  const issuer = field('issuer', isKey, undefined);
  return { peer_pubkey: peer.toLowerCase(), expiry, caps, sig, issuer: issuer?.toLowerCase() };
}

function readProof(value: unknown): Proof {
  const field = fieldsOf(value, 'proof');
  return {
    ts: field('ts', isTime),
    nonce: field('nonce', (nonce): nonce is string => isHex(nonce, 32)),
    aud: field('aud', (aud): aud is string => typeof aud === 'string' && aud.length <= 512),
    sig: field('sig', isSignature),
  };
}

/** Reads fields of an object by name; refuses what is missing, or is not what it must be. */
function fieldsOf(value: unknown, name: string) {
  const fields = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  return <T, D = never>(field: string, is: (value: unknown) => value is T, ...otherwise: D[]): T | D => {
    const given: unknown = fields.get(field);
    if (given === undefined && otherwise.length > 0) return otherwise[0]!;
    if (given === undefined) throw refused(`missing ${name}.${field}`);
    if (!is(given)) throw refused(`malformed ${name}.${field}`);
    return given;
  };
}

const isHex = (value: unknown, length: number): value is string =>
  typeof value === 'string' && value.length === length && /^[0-9a-f]*$/i.test(value);
const isKey = (value: unknown): value is string => isHex(value, 64);
const isSignature = (value: unknown): value is string => isHex(value, 128);
const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

async function checkToken(
  token: ReadToken,
  { pubkey, subject }: Pick<Claims, 'pubkey' | 'subject'>,
  gate: Gate,
): Promise<Granted> {
  const isSubjects = subject !== undefined && token.peer_pubkey === subject && subject !== pubkey;
  if (token.peer_pubkey !== pubkey && !isSubjects) throw refused('token peer_pubkey does not match connecting peer');
  if (gate.now >= token.expiry * 1000) throw new TokenExpired();
  const { room, lock, adminKey, crypto } = gate;
  const issuers = [adminKey, lock].filter((key) => key !== undefined && (token.issuer ?? key) === key);
  const message = tokenMessage({ room, peer: token.peer_pubkey, expiry: token.expiry, caps: token.caps });
  const verdicts = await Promise.all(issuers.map((key) => crypto.verify(key!, message, fromHex(token.sig))));
  const issuer = issuers[verdicts.indexOf(true)];
  if (issuer === undefined) throw refused('signature verification failed');
  if (token.expiry < gate.revokedBefore(token.peer_pubkey)) throw refused('token revoked');
  const granted = { caps: token.caps, expiry: token.expiry, issuer: issuer === adminKey ? SERVER : issuer };
  return isSubjects ? { ...granted, holder: subject } : granted;
}

async function checkProof(proof: Proof, pubkey: string | undefined, gate: Gate): Promise<boolean> {
  const { room, now, startedAt, audiences, usedProofs, crypto } = gate;
  if (pubkey === undefined) throw refused('proof without pubkey');
  const isOfNow = Math.abs(now - proof.ts) <= PROOF_WINDOW_MS && proof.ts >= startedAt;
  if (!isOfNow || usedProofs.isForgotten(proof.ts)) throw refused('proof expired');
  if (usedProofs.has(proof.nonce)) throw refused('proof already used');
  if (!audiences.includes(proof.aud)) throw refused('proof audience mismatch');
  const message = proofMessage(pubkey, { room, ...proof });
  if (!(await crypto.verify(pubkey, message, fromHex(proof.sig)))) throw refused('proof verification failed');
  // Asked again: the same proof may have been under verification twice.
  if (!usedProofs.use(proof.nonce, proof.ts, now)) throw refused('proof already used');
  return true;
}

function refused(text: string): Rejection {
  return new Rejection('auth', `auth: ${text}`);
}
