import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import { policyFact } from '../room/state/facts.js';
import { parseBlobHash } from '../codec/bytes/blob-hash.js';
import { concatBytes } from '../codec/bytes/bytes.js';
import { BlobIndex } from './blob-index.js';
import { changesOf, isPrefix, timelineOf } from './timeline.js';

const sha256 = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

describe('the timeline of a policy', () => {
  const [A, B] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];

  it('[AR5] is told by what the policies say, one after the other', () => {
    const changes = [
      { lamport: 4, policy: A },
      { lamport: 9, policy: B },
      { lamport: 9, policy: A },
    ];
    expect(timelineOf(changes)).toEqual({
      policy_timeline: changes,
      policy_timeline_hash: sha256('weft-policy-timeline-v1\0', ...[A, B, A].map((hex) => Buffer.from(hex, 'hex'))),
      policy_timeline_cutover_lamport: 9,
      policy_timeline_transition_cutovers: [1, 4, 9],
    });
    expect(timelineOf([])).toMatchObject({
      policy_timeline_hash: sha256('weft-policy-timeline-v1\0'),
      policy_timeline_cutover_lamport: 1,
      policy_timeline_transition_cutovers: [1],
    });
  });

  it('[AR5] names each policy by its rules, whoever set it', async () => {
    const host = createHost({ store: memoryStore() });
    const room = await host.room('plans');
    const rules = [{ path_glob: 'a/**', can_write: [A] }];
    await room.transact(() => ({ writes: [policyFact({ default: 'deny', rules }, 'ann')], result: undefined }));
    const [change, ...more] = changesOf((await room.surveys.now()).policies);
    const text = `{"default":"deny","rules":[{"can_write":["${A}"],"path_glob":"a/**"}]}`;
    expect([change?.policy, more]).toEqual([sha256(text), []]);
    await host.close();
  });

  it('[AR6] goes on where it begins alike, whenever that was', () => {
    const [a, b, c] = [A, B, 'c'.repeat(64)].map((policy, lamport) => ({ lamport, policy }));
    expect(isPrefix([], [a!])).toBe(true);
    expect(isPrefix([{ ...a!, lamport: 70 }], [a!, b!])).toBe(true);
    expect(isPrefix([a!, b!], [a!, b!])).toBe(true);
    expect(isPrefix([a!, c!], [a!, b!])).toBe(false);
    expect(isPrefix([a!, b!], [a!])).toBe(false);
  });
});

describe('the list of blobs', () => {
  const hashes = ['0a', '0b', '0c'].map((head) => parseBlobHash(head + '0'.repeat(62))!);

  async function* rows(...sizes: readonly number[]) {
    for (const [at, size] of sizes.entries()) yield { hash: hashes[at]!, size };
  }

  it('[AR4] says of each how long it is, and where it begins', async () => {
    const index = await BlobIndex.of(rows(5, 0, 2 ** 33));
    expect([index.count, index.total, index.digest]).toEqual([3, 2 ** 33 + 5, sha256(index.bytes)]);
    expect([...BlobIndex.read(index.bytes).rows()]).toEqual([
      { hash: hashes[0], size: 5, at: 0 },
      { hash: hashes[1], size: 0, at: 5 },
      { hash: hashes[2], size: 2 ** 33, at: 5 },
    ]);
    expect((await BlobIndex.of(rows())).total).toBe(0);
  });

  it('[AR4] has each once, in the order of the hashes', async () => {
    const { bytes } = await BlobIndex.of(rows(1, 2, 3));
    const [one, two, three] = [0, 40, 80].map((at) => bytes.subarray(at, at + 40)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    const isSorted = (...parts: Uint8Array[]): boolean => BlobIndex.read(concatBytes(parts)).isSorted;
    expect([isSorted(), isSorted(one), isSorted(one, two, three)]).toEqual([true, true, true]);
    expect([isSorted(two, one, three), isSorted(one, three, two), isSorted(one, two, two)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(() => isSorted(one.subarray(1))).toThrow();
  });
});
