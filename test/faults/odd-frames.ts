/** Frames that a broken or hostile peer might send: valid ones cut, changed, nested and mixed, and plain noise. */
import { encode } from '@msgpack/msgpack';
import { commandTable } from '@weft/core';
import type { Random } from '../convergence/random.js';

const TYPES = [...commandTable.commands.keys(), 'no such type', '__proto__', ''];
const VALUES: readonly unknown[] = [
  ...[null, true, -1, 1.5, 1e308, 2 ** 53, '', 'x'.repeat(3000), '\ud800', '\0', 'ab'.repeat(32), '%%%', 'AAAA'],
  ...[[], {}, [[]], ['ab'.repeat(32)], ['**'], { type: 'hello' }, { length: 2 ** 31 }, [1, 2, 3], '9'.repeat(400)],
];

/** Odd frame: text, or bytes for a binary one. `packs` are valid ones in base64. */
export function oddFrame(random: Random, packs: readonly string[]): string | Uint8Array {
  if (random.chance(10)) return noise(random, random.below(600));
  if (random.chance(5)) return '[{"a":'.repeat(random.below(5000));
  const frame = fieldsOf(random, packs);
  const bytes = random.chance(50) ? Buffer.from(JSON.stringify(frame)) : Buffer.from(encode(frame));
  const isText = random.chance(70);
  const changed = random.chance(50) ? damaged(bytes, random) : bytes;
  // A text frame that is not UTF-8 is the transport's to refuse.
  return isText && random.chance(90) ? changed.toString('utf8') : new Uint8Array(changed);
}

export function noise(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

function fieldsOf(random: Random, packs: readonly string[]): object {
  const type = random.chance(40) ? 'pack' : random.pick(TYPES);
  if (type === 'pack' && random.chance(90)) return { type, nodes: damagedPack(random.pick(packs), random) };
  const fields = Object.keys(commandTable.commands.get(type)?.in.shape ?? { data: 0 });
  const chosen = fields.filter(() => random.chance(50)).map((name) => [name, random.pick(VALUES)]);
  return { type, ...Object.fromEntries(chosen) };
}

function damagedPack(pack: string, random: Random): string {
  return damaged(Buffer.from(pack, 'base64'), random).toString('base64');
}

/** Copy of the bytes with some changed, and now and then cut off or doubled. */
function damaged(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  for (let i = random.below(4); i >= 0 && changed.length > 0; i--)
    changed[random.below(changed.length)] = random.below(256);
  if (random.chance(20)) return changed.subarray(0, random.below(changed.length + 1));
  return random.chance(5) ? Buffer.concat([changed, changed]) : changed;
}
