/**
 * Ed25519 behind a port: Node's own module where there is one, a portable one elsewhere.
 *
 * All implementations give identical verdicts, on hostile input too: replicas must never disagree
 * about which nodes are authentic. Either call may answer from another thread.
 */
export interface Signer {
  /** 64 lower-case hex characters. */
  readonly publicKey: string;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

export interface Verifying {
  /** Never throws: anything malformed is simply not a signature. */
  verify(publicKey: string, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

export interface KeyHalves {
  readonly publicKey: string;
  /** Empty where `signing` stands for it. */
  readonly seed: string;
  /** The secret as the platform keeps it: it signs, can be stored as it is, and nobody can read it. */
  readonly signing?: PlatformKey | undefined;
}

/** A `CryptoKey`, by a type that this runtime need not have. */
export type PlatformKey = Awaited<ReturnType<(typeof globalThis.crypto)['subtle']['importKey']>>;

/** Crypto that a peer needs: it knows both halves of its key. */
export interface PeerCrypto extends Verifying {
  /** The halves, 64 hex characters each, are taken to belong together. */
  signerOf(keys: KeyHalves): Signer;
}

export interface Crypto extends PeerCrypto {
  /** `seed` is 32 bytes. */
  signer(seed: Uint8Array): Signer;
  /** Whether somebody can hold the secret of this key: a point of the curve in its one form, and not of small order. */
  isPublicKey(text: string): boolean;
}
