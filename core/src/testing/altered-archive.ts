/** Archives that somebody has changed: what a reader must notice. */
import { unzipSync } from 'fflate';
import { MANIFEST } from '../archive/entries.js';
import { type Entry, descriptorOf, directoryOf, headOf } from '../archive/layout.js';
import { type Unsigned, signManifest } from '../archive/manifest.js';
import { concatBytes, fromUtf8, toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { canonicalJson } from '../codec/bytes/canonical-json.js';
import { crc32, sha256 } from '../codec/bytes/hash.js';
import type { Signer } from '../ports/crypto.js';

export type ArchiveChange =
  /** So many bytes less. */
  | { readonly cut: number }
  /** One bit of what an entry holds. */
  | { readonly flip: string }
  /** All of the manifest. */
  | { readonly text: Uint8Array }
  /** Fields of the manifest, or entries; under the old signature or, with `signer`, a new one. */
  | {
      readonly manifest?: Readonly<Record<string, unknown>>;
      readonly contents?: Readonly<Record<string, Uint8Array>>;
      readonly signer?: Signer;
    };

export async function alteredArchive(bytes: Uint8Array, change: ArchiveChange): Promise<Uint8Array> {
  if ('cut' in change) return bytes.slice(0, bytes.length - change.cut);
  const held = unzipSync(bytes);
  const manifest: Unsigned & { signature?: unknown } = JSON.parse(fromUtf8(held[MANIFEST]!));
  if ('flip' in change) {
    held[change.flip]![0]! ^= 1;
    return archiveWith(manifest.entries, held);
  }
  if ('text' in change) return archiveWith(manifest.entries, { ...held, [MANIFEST]: change.text });
  const contents = { ...held, ...change.contents };
  const entries = manifest.entries.map(({ name }) => summed(name, contents[name]!));
  const { signature, ...unsigned } = { signature: undefined, ...manifest, entries, ...change.manifest };
  const text = change.signer
    ? await signManifest(unsigned, change.signer)
    : toUtf8(canonicalJson(JSON.parse(JSON.stringify({ ...unsigned, signature }))));
  return archiveWith(entries, { ...contents, [MANIFEST]: text });
}

function summed(name: string, content: Uint8Array) {
  return { name, size: content.length, crc32: crc32(content), sha256: toHex(sha256(content)) };
}

/** The frame is right whatever is in it. */
function archiveWith(entries: readonly Entry[], contents: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const all = [...entries, summed(MANIFEST, contents[MANIFEST]!)];
  const parts = all.flatMap((entry) => [headOf(entry), contents[entry.name]!, descriptorOf(entry)]);
  return concatBytes([...parts, directoryOf(all)]);
}
