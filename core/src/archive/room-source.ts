/** A room as it is at one moment, as an archive would hold it. [AR1] */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import { toBase64 } from '../codec/bytes/bytes.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Clock } from '../ports/clock.js';
import type { Speaker } from '../access/word.js';
import { Rejection } from '../rejection.js';
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
  /** How often giving up history had begun here before the survey, and what the room said of that. */
  readonly givingUp: number;
  readonly givenUp: string;
}

export class RoomSource implements ArchiveSource {
  readonly about: About;
  readonly index: BlobIndex;
  readonly #room: Room;
  readonly #blobs: BlobStore;
  readonly #seen: Seen;

  private constructor(about: About, index: BlobIndex, seen: Seen, { room, blobs }: RoomSourceParts) {
    this.about = about;
    this.index = index;
    this.#seen = seen;
    this.#room = room;
    this.#blobs = blobs;
  }

  /** Blobs that are linked while the rest is looked at are in it or not. */
  static async of(parts: RoomSourceParts): Promise<RoomSource> {
    const { room, blobs } = parts;
    mustExist(room);
    const { givingUp } = room.surveys;
    const givenUp = await room.surveys.givenUp();
    const { snapshot, ...survey } = await room.surveys.whole();
    const index = await BlobIndex.of(sized(room, blobs));
    if (survey.seq > MOST_NODES || index.count > MOST_BLOBS) {
      const most = `${MOST_NODES} nodes and ${MOST_BLOBS} blobs`;
      throw refused(
        'unsupported_format',
        `an archive holds ${most}, room ${room.id} more: copy the data folder instead`,
      );
    }
    return new RoomSource(aboutOf(parts, survey, index), index, { snapshot, givingUp, givenUp }, parts);
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
      this.#expectWhole();
      yield pack;
      from = to;
    }
  }

  /** Who vouches for it. */
  get speaker(): Speaker {
    return this.#room.lastSpeaker;
  }

  /** Throws where history that the survey has seen is given up by now, here or by another host. [VE1] [PN1] */
  async expectKept(): Promise<void> {
    this.#expectWhole();
    const givenUp = await this.#room.surveys.givenUp().catch((error: unknown) => {
      // Another host has rewritten the log below what is read here.
      if (error instanceof Rejection) throw this.#isOld();
      throw error;
    });
    if (givenUp !== this.#seen.givenUp) throw this.#isOld();
  }

  /** So far as is known here: that is soon enough before the end. */
  #expectWhole(): void {
    if (this.#room.surveys.givingUp !== this.#seen.givingUp) throw this.#isOld();
  }

  #isOld(): Error {
    const why = `history of room ${this.#room.id} was erased, pruned or replaced meanwhile: write the archive again`;
    return refused('checkpoint_not_found', why);
  }

  async snapshot(): Promise<Uint8Array> {
    this.#expectWhole();
    return this.#seen.snapshot;
  }

  async *blobs(): AsyncGenerator<ArchivedBlob> {
    for (const { hash, size } of this.index.rows()) yield { hash, size, bytes: this.#read(hash) };
  }

  async *#read(hash: BlobHash): AsyncGenerator<Uint8Array> {
    const content = await this.#blobs.get(hash);
    if (!content) throw refused('checkpoint_not_found', `blob ${hash} is not there any more`);
    yield* content.bytes;
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
