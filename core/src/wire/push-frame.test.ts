import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../codec/bytes/bytes.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import { commandTable } from '../commands/table.js';
import type { Command } from '../contract/command.js';
import { NODE_REASONS } from '../rejection.js';
import { type Encoded, type Frame, parseFrame } from './frame.js';
import { ackText, readPush } from './push-frame.js';

const bytes = fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.uint8Array({ minLength: 250, maxLength: 260 }));
const requestId = fc.oneof(
  fc.nat(),
  fc.constantFrom<unknown>(0, -1, 1.5, 1e21, 2 ** 53, 'a', '"', '\\', '\u{1F600}', null, undefined),
);
const push = fc.record(
  { type: fc.constant('pack'), nodes: bytes, req_id: requestId },
  { requiredKeys: ['type', 'nodes'] },
);

const asText = ({ nodes, ...rest }: { readonly nodes?: Uint8Array; readonly req_id?: unknown }): string =>
  JSON.stringify({ type: 'pack', ...(nodes && { nodes: toBase64(nodes) }), ...rest });

/** What the parser makes of it, with bytes in place of base64, as whoever handles the frame would read it. */
function parsed(encoded: Encoded): Frame | undefined {
  const frame = parseFrame(encoded);
  return typeof frame?.['nodes'] === 'string' ? { ...frame, nodes: fromBase64(frame['nodes']) } : frame;
}

/** Whether it was read; if so, the parser says the same. */
function readAlike(encoded: Encoded): boolean {
  const read = readPush(encoded);
  if (read) expect(read).toEqual(parsed(encoded));
  return read !== undefined;
}

describe('a push is read', () => {
  it('as the parser reads it, text and bytes', () => {
    let [texts, binary] = [0, 0];
    fc.assert(
      fc.property(push, (frame) => {
        texts += Number(readAlike(asText(frame)));
        binary += Number(readAlike(encodeValue(frame)));
      }),
    );
    expect(Math.min(texts, binary)).toBeGreaterThan(5); // or nothing was compared
  });

  it('with its request, as the package for clients writes it', () => {
    const nodes = Uint8Array.of(1, 2, 3, 4, 255);
    for (const req_id of [0, 7, 123_456_789_012_345])
      expect(readPush(asText({ nodes, req_id }))).toEqual({ type: 'pack', nodes, req_id });
    expect(readPush(asText({ nodes }))).toEqual({ type: 'pack', nodes });
    expect(readPush(encodeValue({ type: 'pack', nodes }))).toEqual({ type: 'pack', nodes });
  });

  it('by the parser alone, once something about it is not as clients write it', () => {
    const letters = fc.constantFrom('"', '\\', '=', '-', '_', ' ', '\n', '\0', 'Ł', '}', '{', ',', '0', 'A', '\u2028');
    const text = push.map(asText);
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(2), letters, (written, at, cut, letter) => {
        const place = at % (written.length + 1);
        readAlike(written.slice(0, place) + letter + written.slice(place + cut));
        readAlike(written.slice(0, place));
      }),
    );
    const binary = push.map((frame) => encodeValue(frame));
    fc.assert(
      fc.property(binary, fc.nat(), fc.nat(255), (written, at, byte) => {
        const changed = written.slice();
        changed[at % changed.length] = byte;
        readAlike(changed);
        readAlike(written.subarray(0, at % written.length));
        readAlike(Uint8Array.of(...written, byte));
      }),
    );
  });

  it('into memory that no other push writes to', () => {
    const nodes = Array.from({ length: 300 }, (_, i) => new Uint8Array(i).fill(i));
    const read = nodes.map((one) => readPush(asText({ nodes: one }))!['nodes']);
    expect(read).toEqual(nodes);
  });
});

it('the text of an ack is that of JSON', () => {
  const id = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
  const reason = fc.constantFrom(...Object.keys(NODE_REASONS));
  const ack = fc.record(
    {
      type: fc.constant('pack-ack'),
      accepted_count: fc.nat(),
      rejected_count: fc.nat(),
      incoming_count: fc.nat(),
      rejected: fc.array(fc.record({ id, reason })),
      req_id: requestId.filter((value) => value !== undefined),
    },
    { requiredKeys: ['type', 'accepted_count', 'rejected_count', 'incoming_count', 'rejected'] },
  );
  fc.assert(
    fc.property(ack, (frame) => {
      expect(ackText(frame)).toBe(JSON.stringify(frame));
    }),
  );
});

/** Values that schemas are made for, and such as nobody would send. */
const field = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    0,
    1,
    -1,
    1.5,
    86_400_000,
    86_400_001,
    Number.NaN,
    1e300,
    true,
    '',
    'a',
    [],
  ),
  fc.uint8Array({ maxLength: 4 }),
  fc.jsonValue(),
);

const hasUsual = [...commandTable.commands.values()].filter(({ usual }) => usual);

it.each(hasUsual)('the usual $type is what its schema makes of it', ({ usual, in: schema, type }: Command) => {
  let answered = 0;
  const fields = Object.fromEntries([...Object.keys(schema.shape), 'other', 'req_id'].map((name) => [name, field]));
  fc.assert(
    fc.property(fc.record(fields, { requiredKeys: [] }), (given) => {
      const frame = { ...given, type };
      const input = usual!(frame);
      if (input === undefined) return;
      expect({ success: true, data: input }).toEqual(schema.safeParse(frame));
      answered++;
    }),
  );
  expect(answered).toBeGreaterThan(5);
});
