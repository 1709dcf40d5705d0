/** Validation: whether an archive is what it says. [AR4] */
import { toHex } from '../codec/bytes/bytes.js';
import { sha256Stream } from '../codec/bytes/hash-stream.js';
import type { Crypto } from '../ports/crypto.js';
import { FileSource } from './file-source.js';
import type { About } from './manifest.js';
import { Rebuilt } from './rebuild.js';
import { refused } from './refusal.js';
import type { ArchiveSource } from './source.js';
import { changesOf, timelineOf } from './timeline.js';

/** What opening an archive has checked. */
export const OPENED = ['format', 'compatibility', 'signature', 'manifest', 'layout'] as const;
export const LOOKED = ['source'] as const;
/** What is checked beyond. */
export const COMPUTED = ['entries', 'nodes', 'checkpoint', 'policy_timeline', 'snapshot', 'blobs'] as const;

/** Reads all of it. Throws a `Rejection` where it is not what its manifest says. */
export async function verify(source: ArchiveSource, crypto: Crypto): Promise<Rebuilt> {
  if (source instanceof FileSource) await source.checkEntries();
  const rebuilt = await Rebuilt.of(source, crypto);
  checkNodes(source.about, rebuilt);
  await rebuilt.checkSnapshot(await source.snapshot(), crypto);
  await checkBlobs(source);
  return rebuilt;
}

function checkNodes({ checkpoint, counts, payload_digest_set: digests, ...about }: About, { survey }: Rebuilt): void {
  const differ = (what: string): Error =>
    refused('digest_mismatch', `the nodes are not those of the manifest: ${what}`);
  if (survey.seq !== counts.nodes) throw differ(`there are ${survey.seq}`);
  if (survey.nodesDigest !== digests.nodes) throw differ('they have other ids');
  if (survey.stateHash !== checkpoint.canonical_hash) throw differ('they make another state');
  if (survey.frontier.join() !== checkpoint.frontier.join()) throw differ('they have other heads');
  const { policy_timeline: found } = timelineOf(changesOf(survey.policies));
  if (JSON.stringify(found) !== JSON.stringify(about.policy_timeline))
    throw refused('policy_timeline_mismatch', 'the policies among the nodes are not those of the manifest');
}

async function checkBlobs(source: ArchiveSource): Promise<void> {
  let found = 0;
  for await (const { hash, size, bytes } of source.blobs()) {
    const digest = sha256Stream();
    let read = 0;
    for await (const chunk of bytes) {
      digest.update(chunk);
      read += chunk.length;
    }
    if (read !== size || toHex(digest.digest()) !== hash)
      throw refused('digest_mismatch', `blob ${hash} is not what its name says`);
    found++;
  }
  if (found !== source.about.counts.blobs) throw refused('digest_mismatch', `there are ${found} blobs`);
}
