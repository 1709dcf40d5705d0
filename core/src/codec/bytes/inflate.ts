/**
 * Raw inflate (RFC 1951) where the runtime has none that answers at once: total, and as strict as zlib is, so that all
 * peers take and refuse the same bytes.
 */
import { DecodeError } from './bytes.js';
import {
  DISTANCES,
  END_OF_BLOCK,
  LENGTH_ORDER,
  LITERALS,
  codesOf,
  distanceBits,
  distanceFrom,
  fixedDistances,
  fixedLengths,
  lengthBits,
  lengthFrom,
} from './huffman.js';

/** Symbols by the next bits: symbol * 16 + length of its code, or 0 for bits that no code begins with. */
interface Lookup {
  readonly bits: number;
  readonly table: Uint16Array;
}

const broken = (): DecodeError => new DecodeError('deflated bytes do not inflate');

/** Throws for lengths that are no code. What is incomplete is none, but for one symbol of one bit where `mayBeOne`. */
function lookupOf(lengths: Uint8Array, mayBeOne: boolean): Lookup {
  let bits = 0;
  let taken = 0;
  for (const length of lengths) {
    bits = Math.max(bits, length);
    if (length > 0) taken += 0x8000 >> length;
  }
  if (bits > 0 && taken !== 0x8000 && !(taken < 0x8000 && mayBeOne && bits === 1)) throw broken();
  const table = new Uint16Array(1 << bits);
  const codes = codesOf(lengths);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length > 0) for (let i = codes[symbol]!; i < table.length; i += 1 << length) table[i] = symbol * 16 + length;
  }
  return { bits, table };
}

let fixed: readonly [Lookup, Lookup] | undefined;

/**
 * Inflates into `out`; answers how many bytes that were. What does not fit is refused, or not looked at where only the start is
 * asked for.
 */
export function inflateInto(content: Uint8Array, out: Uint8Array, isStart = false): number {
  let at = 0;
  let held = 0;
  let bits = 0;
  let length = 0;

  const fill = (count: number): void => {
    while (bits < count && at < content.length) {
      held |= content[at++]! << bits;
      bits += 8;
    }
  };
  const drop = (count: number): void => {
    if (count > bits) throw broken();
    held >>>= count;
    bits -= count;
  };
  const take = (count: number): number => {
    fill(count);
    const value = held & ((1 << count) - 1);
    drop(count);
    return value;
  };
  const symbolOf = ({ bits: most, table }: Lookup): number => {
    if (bits < most) fill(most);
    const found = table[held & ((1 << most) - 1)]!;
    if (found === 0) throw broken();
    drop(found & 15);
    return found >> 4;
  };
  const room = (count: number): number => {
    if (length + count <= out.length) return count;
    if (isStart) return out.length - length;
    throw new DecodeError('the deflated length is wrong');
  };

  const stored = (): void => {
    held = 0;
    at -= bits >> 3;
    bits = 0;
    const count = take(16);
    if ((count ^ take(16)) !== 0xffff || at + count > content.length) throw broken();
    out.set(content.subarray(at, at + room(count)), length);
    length = Math.min(out.length, length + count);
    at += count;
  };

  const ownCodes = (): readonly [Lookup, Lookup] => {
    const [literals, distances, count] = [take(5) + 257, take(5) + 1, take(4) + 4];
    if (literals > LITERALS || distances > DISTANCES) throw broken();
    const ofLengths = new Uint8Array(19);
    for (let i = 0; i < count; i++) ofLengths[LENGTH_ORDER[i]!] = take(3);
    const code = lookupOf(ofLengths, false);
    const lengths = new Uint8Array(literals + distances);
    for (let i = 0; i < lengths.length;) {
      const symbol = symbolOf(code);
      if (symbol < 16) {
        lengths[i++] = symbol;
        continue;
      }
      if (symbol === 16 && i === 0) throw broken();
      const repeated = symbol === 16 ? lengths[i - 1]! : 0;
      const times = symbol === 16 ? 3 + take(2) : symbol === 17 ? 3 + take(3) : 11 + take(7);
      if (i + times > lengths.length) throw broken();
      lengths.fill(repeated, i, i + times);
      i += times;
    }
    // A block that cannot end is refused where its bytes end.
    return [lookupOf(lengths.subarray(0, literals), true), lookupOf(lengths.subarray(literals), true)];
  };

  const coded = ([literals, distances]: readonly [Lookup, Lookup]): void => {
    for (;;) {
      const symbol = symbolOf(literals);
      if (symbol === END_OF_BLOCK) return;
      if (symbol < END_OF_BLOCK) {
        if (room(1) === 0) return;
        out[length++] = symbol;
        continue;
      }
      if (symbol >= LITERALS) throw broken();
      const count = lengthFrom(symbol - 257) + take(lengthBits(symbol - 257));
      const far = symbolOf(distances);
      if (far >= DISTANCES) throw broken();
      const distance = distanceFrom(far) + take(distanceBits(far));
      if (distance > length) throw broken();
      const end = length + room(count);
      if (distance >= count) out.copyWithin(length, length - distance, end - distance);
      else for (let i = length; i < end; i++) out[i] = out[i - distance]!;
      length = end;
      if (isStart && length === out.length) return;
    }
  };

  for (let isLast = false; !isLast && !(isStart && length === out.length);) {
    isLast = take(1) === 1;
    const kind = take(2);
    if (kind === 0) stored();
    else if (kind === 3) throw broken();
    else
      coded(kind === 2 ? ownCodes() : (fixed ??= [lookupOf(fixedLengths(), true), lookupOf(fixedDistances(), true)]));
  }
  if (!isStart && (at - (bits >> 3) !== content.length || length !== out.length))
    throw new DecodeError('the deflated length is wrong');
  return length;
}
