import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { policyValue } from '../../access/policy.js';
import { type Sieve, sift } from '../../codec/sieve.js';
import { hello } from '../../commands/join.js';
import { blobRequest, blobUpload, blobUploaded, requestUpload } from '../../commands/blobs.js';
import { pack } from '../../commands/sync.js';
import { Random } from '../../crdt/sequence/testing/random.js';
import { lineageOf } from '../../room/state/genesis.js';
import { LineageShape } from '../../room/state/lineage-shape.js';
import { PolicyShape } from '../../wire/policy-shape.js';
import { PeerShape } from '../../wire/shapes.js';
import * as blobFrames from '../blobs/blob-frames.js';
import * as frames from './frames.js';

const KEY = 'aB'.repeat(32);

/** A value that a schema lets through, by what the schema is made of. */
function valueFor(schema: z.ZodType, random: Random): unknown {
  const { def } = schema as unknown as { def: Record<string, unknown> };
  const of = (inner: unknown): unknown => valueFor(inner as z.ZodType, random);
  const some = (inner: unknown): unknown[] => Array.from({ length: random.below(3) }, () => of(inner));
  switch (def['type']) {
    case 'object': {
      const { shape } = schema as z.ZodObject;
      const fields = Object.entries(shape).map(([name, field]) => [name, of(field)]);
      return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    }
    case 'optional':
      return random.chance(50) ? undefined : of(def['innerType']);
    case 'array':
      return some(def['element']);
    case 'record':
      return Object.fromEntries(some(def['valueType']).map((value, i) => [`field${i}`, value]));
    case 'union':
      return of(random.pick(def['options'] as unknown[]));
    case 'pipe':
      return of(def['in']);
    case 'string':
      return random.pick([KEY, '', 'ab']);
    case 'number':
      return random.below(100);
    case 'boolean':
      return random.chance(50);
    case 'enum':
      return random.pick<unknown>(Object.values(def['entries'] as object));
    case 'literal':
      return (def['values'] as unknown[])[0];
    case 'custom':
      return new Uint8Array(random.below(9));
    default:
      throw new Error(`no value is known for ${String(def['type'])}`);
  }
}

const WRONG: readonly unknown[] = [
  undefined,
  null,
  1,
  -1,
  1.5,
  Number.NaN,
  'text',
  true,
  [],
  {},
  [1],
  [null],
  { a: 1 },
];

/** The value with one field somewhere in it gone, or put wrong. */
function broken(value: unknown, random: Random): unknown {
  const entries: [string, unknown][] =
    typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? Object.entries(value) : [];
  if (entries.length === 0 || random.chance(20)) return WRONG[random.below(WRONG.length)];
  const [name, field] = random.pick(entries);
  const changed = broken(field, random);
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === name ? changed : (item as unknown)));
  return { ...(value as object), [name]: changed };
}

/** What the server says of a frame, or of a part of it, and what the client reads it with. */
const pairs: Record<string, readonly [schema: z.ZodType, sieve: Sieve<unknown>]> = {
  peer: [PeerShape, frames.peerShape],
  policy: [PolicyShape, policyValue],
  lineage: [LineageShape, lineageOf],
  welcome: [
    outOf(hello, 'welcome').pick({
      missing: true,
      caps: true,
      peers: true,
      genesis: true,
      limits: true,
      retry_spread_ms: true,
      view: true,
    }),
    frames.welcome,
  ],
  'pack-ack': [outOf(pack, 'pack-ack').pick({ rejected: true }), frames.packAck],
  'blob-pack': [outOf(blobRequest, 'blob-pack').pick({ blobs: true, too_large: true }), blobFrames.blobPack],
  'blob-redirect': [outOf(blobRequest, 'blob-redirect'), blobFrames.blobRedirect],
  'upload-granted': [outOf(requestUpload, 'upload-granted').pick({ url: true }), blobFrames.uploadGranted],
  'upload-denied': [outOf(requestUpload, 'upload-denied').pick({ reason: true }), blobFrames.uploadRefused],
  'upload-rejected': [outOf(blobUploaded, 'upload-rejected').pick({ reason: true }), blobFrames.uploadRefused],
  'blob-available': [outOf(blobUpload, 'blob-available'), blobFrames.blobAvailable],
};

function outOf({ out }: { readonly out: Readonly<Record<string, unknown>> }, type: string): z.ZodObject {
  return out[type] as z.ZodObject;
}

/** Kept of `whole` is what `part` has: the client reads less. */
function within(whole: unknown, part: unknown): unknown {
  if (Array.isArray(whole) && Array.isArray(part)) return whole.map((item, i) => within(item, part[i]));
  if (!isPlain(whole) || !isPlain(part)) return whole;
  return Object.fromEntries(Object.keys(part).map((name) => [name, within(whole[name], part[name])]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Array.isArray(value);
}

describe('what a client reads a frame with', () => {
  it.each(Object.keys(pairs))('lets through every %s that a server can send, and what it uses of it', (name) => {
    const [schema, sieve] = pairs[name]!;
    const random = new Random(1);
    let through = 0;
    for (let i = 0; i < 400; i++) {
      const value = schema.safeParse(valueFor(schema, random));
      if (!value.success) continue;
      const read = sift(sieve, value.data);
      expect(read).toBeDefined();
      expect(within(value.data, read)).toEqual(read);
      through++;
    }
    expect(through).toBeGreaterThan(30);
  });

  it.each(['peer', 'policy', 'lineage'])('lets through just what the schema of a %s does', (name) => {
    const [schema, sieve] = pairs[name]!;
    const random = new Random(2);
    const verdicts = { good: 0, bad: 0 };
    for (let i = 0; i < 2000; i++) {
      const good = valueFor(schema, random);
      const value = random.chance(70) ? broken(good, random) : good;
      const said = schema.safeParse(value);
      expect([value, sift(sieve, value)]).toEqual([value, said.data]);
      verdicts[said.success ? 'good' : 'bad']++;
    }
    expect(Math.min(verdicts.good, verdicts.bad)).toBeGreaterThan(100);
  });

  it.each(Object.keys(pairs))(
    'refuses a %s whose fields are not what they should be, and never throws another error',
    (name) => {
      const [schema, sieve] = pairs[name]!;
      const random = new Random(3);
      let refused = 0;
      for (let i = 0; i < 1000; i++) if (sift(sieve, broken(valueFor(schema, random), random)) === undefined) refused++;
      expect(refused).toBeGreaterThan(100);
    },
  );
});
