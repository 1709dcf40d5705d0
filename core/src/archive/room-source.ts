/** A room as it is at one moment, as an archive would hold it. [AR1] */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import { toBase64 } from '../codec/bytes/bytes.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Clock } from '../ports/clock.js';
import type { Speaker } from '../access/word.js';
import type { Survey } from '../room/keeping/survey.js';
import type { Room } from '../room/room.js';
import { BlobIndex } from './blob-index.js';
import { MOST_BLOBS, MOST_NODES } from './entries.js';
import { type About, DIGEST_POLICY, FORMAT, WINDOW, kindOf, manifestId } from './manifest.js';
import { refused } from './refusal.js';
import type { ArchivedBlob, ArchiveSource } from './source.js';
import { changesOf, timelineOf } from './timeline.js';

export interface RoomSourceParts {
  readonly room: Room;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** Who asks. */
  readonly by: string;
}

interface Seen {
  readonly snapshot: Uint8Array;
  readonly erasures: number;
}

export class RoomSource implements ArchiveSource {
  readonly about: About;
  readonly index: BlobIndex;
  readonly #room: Room;
  readonly #blobs: BlobStore;
  readonly #snapshot: Uint8Array;
  /** Erasures that had begun before the survey. */
  readonly #erasures: number;

  private constructor(about: About, index: BlobIndex, seen: Seen, { room, blobs }: RoomSourceParts) {
    this.about = about;
    this.index = index;
    this.#snapshot = seen.snapshot;
    this.#erasures = seen.erasures;
    this.#room = room;
    this.#blobs = blobs;
  }

  /** Blobs that are linked while the rest is looked at are in it or not. */
  static async of(parts: RoomSourceParts): Promise<RoomSource> {
    const { room, blobs } = parts;
    mustExist(room);
    const { erasures } = room.surveys;
    const { snapshot, ...survey } = await room.surveys.whole();
    const index = await BlobIndex.of(sized(room, blobs));
    if (survey.seq > MOST_NODES || index.count > MOST_BLOBS) {
      const most = `${MOST_NODES} nodes and ${MOST_BLOBS} blobs`;
      throw refused(
        'unsupported_format',
        `an archive holds ${most}, room ${room.id} more: copy the data folder instead`,
      );
    }
    return new RoomSource(aboutOf(parts, survey, index), index, { snapshot, erasures }, parts);
  }

  /** What would be said of it. */
  static async describe(parts: RoomSourceParts): Promise<About> {
    const { room, blobs } = parts;
    mustExist(room);
    return aboutOf(parts, await room.surveys.now(), await BlobIndex.of(sized(room, blobs)));
  }

  async *packs(): AsyncGenerator<Uint8Array> {
    const { packed } = this.#room;
    const end = this.about.counts.nodes;
    for (let from = 0; from < end;) {
      const to = Math.min(end, packed.endOfPart(from));
      const pack = (await packed.read(from, to, { isCarriedAway: true }))!;
      this.expectKept();
      yield pack;
      from = to;
    }
  }

  /** Who vouches for it. */
  get speaker(): Speaker {
    return this.#room.lastSpeaker;
  }

  /** Throws where a value is erased by now that the survey has seen. [VE1] */
  expectKept(): void {
    const { id, surveys } = this.#room;
    if (surveys.erasures === this.#erasures) return;
    throw refused('checkpoint_not_found', `a value was erased from room ${id} meanwhile: write the archive again`);
  }

  async snapshot(): Promise<Uint8Array> {
    this.expectKept();
    return this.#snapshot;
  }

  async *blobs(): AsyncGenerator<ArchivedBlob> {
    for (const { hash, size } of this.index.rows()) yield { hash, size, bytes: this.#read(hash) };
  }

  async *#read(hash: BlobHash): AsyncGenerator<Uint8Array> {
    const content = await this.#blobs.get(hash);
    if (!content) throw refused('checkpoint_not_found', `blob ${hash} is not there any more`);
    yield* content.bytes;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function mustExist({ id, seq }: Room): void {
  if (seq === 0) throw refused('checkpoint_not_found', `room ${id} has no durable fact`);
}

async function* sized(room: Room, blobs: BlobStore): AsyncGenerator<{ hash: BlobHash; size: number }> {
  for await (const hash of blobs.linked(room.id)) {
    const size = await blobs.size(hash);
    if (size !== undefined) yield { hash, size };
  }
}

function aboutOf({ room, clock, by }: RoomSourceParts, survey: Survey, index: BlobIndex): About {
  const { lineage } = room.constitution;
  const { policy_timeline, policy_timeline_transition_cutovers, ...timeline } = timelineOf(changesOf(survey.policies));
  const { seq, stateHash, frontier, nodesDigest } = survey;
  const provenance = { source_room: room.id, tool: 'weft', created_by: by, created_at: clock.now() };
  return {
    format_version: FORMAT,
    manifest_id: manifestId(room.id, stateHash),
    source_room: room.id,
    archive_kind: kindOf(lineage),
    checkpoint: { selector: 'seq', canonical_seq: seq, canonical_hash: stateHash, frontier: [...frontier] },
    payload_digest_set: { nodes: nodesDigest, blobs: index.digest },
    payload_digest_policy: DIGEST_POLICY,
    compatibility_window: WINDOW,
    ...timeline,
    policy_timeline: [...policy_timeline],
    policy_timeline_transition_cutovers: [...policy_timeline_transition_cutovers],
    provenance: lineage ? { ...provenance, lineage } : provenance,
    counts: { nodes: seq, blobs: index.count },
    genesis: toBase64(room.genesis.pack),
  };
}
