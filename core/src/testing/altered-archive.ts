/** Archives that somebody has changed: what a reader must notice. */
import { unzipSync } from 'fflate';
import { concatBytes, fromUtf8, toUtf8 } from '../codec/bytes.js';
import { canonicalJson } from '../codec/canonical-json.js';
import { crc32 } from '../codec/hash.js';
import { MANIFEST } from '../archive/entries.js';
import { descriptorOf, directoryOf, headOf } from '../archive/layout.js';
import { type Unsigned, signManifest } from '../archive/manifest.js';
import type { Signer } from '../ports/crypto.js';

export type ArchiveChange =
  /** So many bytes less. */
  | { readonly cut: number }
  /** One bit of what an entry holds. */
  | { readonly flip: string }
  /** Fields of the manifest, under the old signature or, with `signer`, a new one. */
  | { readonly manifest: Readonly<Record<string, unknown>>; readonly signer?: Signer };

export async function alteredArchive(bytes: Uint8Array, change: ArchiveChange): Promise<Uint8Array> {
  if ('cut' in change) return bytes.slice(0, bytes.length - change.cut);
  const contents = unzipSync(bytes);
  const manifest: Unsigned = JSON.parse(fromUtf8(contents[MANIFEST]!));
  if ('flip' in change) {
    contents[change.flip]![0]! ^= 1;
    return archiveWith(manifest, contents[MANIFEST]!, contents);
  }
  const { signature, ...unsigned } = { signature: undefined, ...manifest, ...change.manifest };
  const text = change.signer
    ? await signManifest(unsigned, change.signer)
    : toUtf8(canonicalJson(JSON.parse(JSON.stringify({ ...unsigned, signature }))));
  return archiveWith(manifest, text, contents);
}

/** The frame is right whatever is in it. */
function archiveWith(
  { entries }: Unsigned,
  manifest: Uint8Array,
  contents: Readonly<Record<string, Uint8Array>>,
): Uint8Array {
  const last = { name: MANIFEST, size: manifest.length, crc32: crc32(manifest) };
  const all = [...entries, last];
  const parts = all.flatMap((entry) => [
    ...[headOf(entry), entry === last ? manifest : contents[entry.name]!],
    descriptorOf(entry),
  ]);
  return concatBytes([...parts, directoryOf(all)]);
}
