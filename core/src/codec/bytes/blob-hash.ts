/** The name of a blob: the SHA-256 of its bytes as 64 lower-case hex characters, one spelling for one blob. */
declare const blobHashBrand: unique symbol;

export type BlobHash = string & { readonly [blobHashBrand]: true };

export function parseBlobHash(text: string): BlobHash | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as BlobHash) : undefined;
}
