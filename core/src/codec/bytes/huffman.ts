/** Huffman codes as raw deflate has them (RFC 1951): canonical, at most 15 bits, sent from their first bit on. */

/** Order in which lengths of the code of lengths are sent. */
export const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
export const END_OF_BLOCK = 256;
/** Symbols of a code that is used: 286 and 287, and the distances 30 and 31, stand for nothing. */
export const LITERALS = 286;
export const DISTANCES = 30;
const LONGEST_BITS = 15;

/** Bits behind the symbol of a length, `symbol` counted from 257. */
export const lengthBits = (symbol: number): number => (symbol < 8 || symbol === 28 ? 0 : (symbol - 4) >> 2);
export const lengthFrom = (symbol: number): number =>
  symbol === 28 ? 258 : symbol < 8 ? 3 + symbol : 3 + ((4 + (symbol & 3)) << ((symbol - 4) >> 2));
export const distanceBits = (symbol: number): number => (symbol < 4 ? 0 : (symbol - 2) >> 1);
export const distanceFrom = (symbol: number): number =>
  symbol < 4 ? 1 + symbol : 1 + ((2 + (symbol & 1)) << ((symbol - 2) >> 1));

/** Lengths of the code that a block without one of its own has. */
export const fixedLengths = (): Uint8Array =>
  Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8));
export const fixedDistances = (): Uint8Array => new Uint8Array(32).fill(5);

/** Codes by symbol, each with its first bit lowest, as they are sent. */
export function codesOf(lengths: Uint8Array): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  let code = 0;
  for (let bits = 1; bits <= LONGEST_BITS; bits++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== bits) continue;
      let left = code++;
      for (let i = 0; i < bits; i++, left >>= 1) codes[symbol] = (codes[symbol]! << 1) | (left & 1);
    }
    code <<= 1;
  }
  return codes;
}
