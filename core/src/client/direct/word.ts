/**
 * What two pages say of themselves before they go on without a server: each signs its description of the connection for the
 * other's key, so a channel is with who holds the key that the server has named; and shows its token where a room needs one.
 */
import type { KeyPair } from '../../access/keys.js';
import { rightsOf } from '../../access/rights.js';
import { type Credential, type Token, tokenMessage } from '../../access/token.js';
import { concatBytes, fromHex, toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { listOf, number, objectOf, sift, text } from '../../codec/sieve.js';
import type { PeerCrypto } from '../../ports/crypto.js';
import type { Frame } from '../../wire/frame.js';

/** What a client gives to whoever links its page with others. */
export interface DirectParts {
  readonly keys: KeyPair;
  readonly crypto: PeerCrypto;
  /** With what the present connection was opened, or the last. */
  readonly credential: Credential | undefined;
  /** What is shown here; undefined before anything is. */
  readonly shown: { readonly value: unknown } | undefined;
  /** Called with what is shown here from now on. */
  readonly onShow: (listener: (value: unknown) => void) => () => void;
  /** Takes a frame of peers or of what they show, as if the server had sent it. */
  readonly hear: (frame: Frame) => void;
}

/** What one side says of the connection to the other. */
export interface Description {
  /** Id of the room's genesis. */
  readonly room: string;
  /** Public key of who is to read it. */
  readonly to: string;
  readonly sdp: string;
  /** Offer that an answer answers, so that an old one answers nothing. */
  readonly offer?: string;
}

const TAG = toUtf8('weft-direct-v1\0');
const ZERO = new Uint8Array(1);

function descriptionMessage({ room, to, sdp, offer = '' }: Description): Uint8Array {
  return concatBytes([TAG, fromHex(room), fromHex(to), toUtf8(sdp), ZERO, toUtf8(offer)]);
}

export async function signDescription({ keys, crypto }: DirectParts, description: Description): Promise<string> {
  return toHex(await crypto.signerOf(keys).sign(descriptionMessage(description)));
}

export async function isDescriptionBy(
  { crypto }: DirectParts,
  publicKey: string,
  description: Description,
  signature: unknown,
): Promise<boolean> {
  if (typeof signature !== 'string' || !/^[0-9a-f]{128}$/.test(signature)) return false;
  return crypto.verify(publicKey, descriptionMessage(description), fromHex(signature));
}

const tokenShape = objectOf({ peer_pubkey: text, expiry: number, caps: listOf(text), sig: text, issuer: text });

/**
 * When a key may no longer read a whole room by its token, in Unix milliseconds; undefined for one that does not say that it may, or of
 * which nobody among `issuers` has signed it.
 */
export async function readsWholeUntil(
  { crypto }: Pick<DirectParts, 'crypto'>,
  room: string,
  publicKey: string,
  shown: unknown,
  issuers: ReadonlySet<string>,
): Promise<number | undefined> {
  const token: Token | undefined = sift(tokenShape, shown);
  if (!token || !issuers.has(token.issuer)) return undefined;
  try {
    const { caps, expiry, sig, issuer } = token;
    if (rightsOf({ caps, expiry, issuer }, true).read) return undefined;
    const message = tokenMessage({ room, peer: publicKey, expiry, caps });
    return (await crypto.verify(issuer, message, fromHex(sig))) ? expiry * 1000 : undefined;
  } catch {
    return undefined; // not a token
  }
}
