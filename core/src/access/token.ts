/**
 * Room tokens: what a holder of the room's or the server's admin key lets one peer do in one room. [TK1]
 *
 * The signature covers room, peer, expiry and capabilities, so a token for another room, peer or time
 * never verifies. Capabilities are signed sorted: their order carries no meaning.
 */
import { concatBytes, fromHex, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import type { Signer } from '../ports/crypto.js';

const TAG = toUtf8('weft-room-token-v1');
const ZERO = new Uint8Array(1);

export interface TokenClaims {
  readonly room: string;
  /** The peer's public key, hex. */
  readonly peer: string;
  /** Unix seconds; from this second on the token is expired. */
  readonly expiry: number;
  /** Printable ASCII without spaces, for example `policy.admin` or `write:docs/**`. */
  readonly caps: readonly string[];
}

/** What goes into `hello.token`. */
export interface Token {
  readonly peer_pubkey: string;
  readonly expiry: number;
  readonly caps: readonly string[];
  readonly sig: string;
  readonly issuer: string;
}

/** What a peer shows at hello: a token, or the text of what an identity provider or an application has given it. */
export type Credential = Token | string;

export function tokenMessage({ room, peer, expiry, caps }: TokenClaims): Uint8Array {
  const bad = caps.find((cap) => !/^[\x21-\x7e]+$/.test(cap));
  if (bad !== undefined)
    throw new RangeError(`capability ${JSON.stringify(bad)} must be printable ASCII without spaces`);
  if (!/^[0-9a-f]{64}$/i.test(peer)) throw new RangeError('peer must be a public key: 64 hex characters');
  const sorted = [...caps].sort().join('\n');
  return concatBytes([TAG, ZERO, toUtf8(room), ZERO, fromHex(peer), littleEndian64(expiry), ZERO, toUtf8(sorted)]);
}

export async function makeToken(claims: TokenClaims, signer: Signer): Promise<Token> {
  const { peer, expiry, caps } = claims;
  const sig = toHex(await signer.sign(tokenMessage(claims)));
  return { peer_pubkey: peer, expiry, caps: [...caps].sort(), sig, issuer: signer.publicKey };
}

export function littleEndian64(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a time`);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}
