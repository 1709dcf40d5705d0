/**
 * The compression function of SHA-256 (FIPS 180-4, 6.2.2), written out round by round.
 *
 * Invariant: `out[at..at+8)` = compress(state, block). `out` may be `state` itself when `at` is 0.
 * State and schedule live in local variables, so a compiler can keep them in registers, and each
 * round names them rotated by one place instead of moving eight values. It is the floor under the cost
 * of a node: rounds in a plain loop over a 64-word schedule cost a third more, and small functions
 * for the rotations several times as much, once they exceed what a compiler inlines.
 */

/**
 * Fractional parts of the cube roots of the primes from the 17th, 59, to the 64th: the rounds in the loop. Their 32 bits are computed:
 * as numbers they would weigh more than anything else here. A double has 18 bits more, and no root is that near to another value.
 */
const LATER_ROUNDS = /* @__PURE__ */ laterRounds();

function laterRounds(): Int32Array {
  const rounds = new Int32Array(48);
  for (let number = 59, round = 0; round < rounds.length; number += 2) {
    let divisor = 3;
    while (number % divisor > 0) divisor += 2;
    if (divisor === number) rounds[round++] = Math.cbrt(number) * 2 ** 32;
  }
  return rounds;
}

export function compress(state: Int32Array, block: Int32Array, out: Int32Array, at: number): void {
  let t = 0;
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  let w0 = block[0] as number;
  let w1 = block[1] as number;
  let w2 = block[2] as number;
  let w3 = block[3] as number;
  let w4 = block[4] as number;
  let w5 = block[5] as number;
  let w6 = block[6] as number;
  let w7 = block[7] as number;
  let w8 = block[8] as number;
  let w9 = block[9] as number;
  let w10 = block[10] as number;
  let w11 = block[11] as number;
  let w12 = block[12] as number;
  let w13 = block[13] as number;
  let w14 = block[14] as number;
  let w15 = block[15] as number;

  t = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
  h = (h + t + (g ^ (e & (f ^ g))) + 0x428a2f98 + w0) | 0;
  d = (d + h) | 0;
  t = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
  h = (h + t + ((a & b) | (c & (a | b)))) | 0;
  t = ((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7));
  g = (g + t + (f ^ (d & (e ^ f))) + 0x71374491 + w1) | 0;
  c = (c + g) | 0;
  t = ((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10));
  g = (g + t + ((h & a) | (b & (h | a)))) | 0;
  t = ((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7));
  f = (f + t + (e ^ (c & (d ^ e))) + 0xb5c0fbcf + w2) | 0;
  b = (b + f) | 0;
  t = ((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10));
  f = (f + t + ((g & h) | (a & (g | h)))) | 0;
  t = ((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7));
  e = (e + t + (d ^ (b & (c ^ d))) + 0xe9b5dba5 + w3) | 0;
  a = (a + e) | 0;
  t = ((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10));
  e = (e + t + ((f & g) | (h & (f | g)))) | 0;
  t = ((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7));
  d = (d + t + (c ^ (a & (b ^ c))) + 0x3956c25b + w4) | 0;
  h = (h + d) | 0;
  t = ((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10));
  d = (d + t + ((e & f) | (g & (e | f)))) | 0;
  t = ((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7));
  c = (c + t + (b ^ (h & (a ^ b))) + 0x59f111f1 + w5) | 0;
  g = (g + c) | 0;
  t = ((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10));
  c = (c + t + ((d & e) | (f & (d | e)))) | 0;
  t = ((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7));
  b = (b + t + (a ^ (g & (h ^ a))) + 0x923f82a4 + w6) | 0;
  f = (f + b) | 0;
  t = ((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10));
  b = (b + t + ((c & d) | (e & (c | d)))) | 0;
  t = ((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7));
  a = (a + t + (h ^ (f & (g ^ h))) + 0xab1c5ed5 + w7) | 0;
  e = (e + a) | 0;
  t = ((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10));
  a = (a + t + ((b & c) | (d & (b | c)))) | 0;
  t = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
  h = (h + t + (g ^ (e & (f ^ g))) + 0xd807aa98 + w8) | 0;
  d = (d + h) | 0;
  t = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
  h = (h + t + ((a & b) | (c & (a | b)))) | 0;
  t = ((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7));
  g = (g + t + (f ^ (d & (e ^ f))) + 0x12835b01 + w9) | 0;
  c = (c + g) | 0;
  t = ((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10));
  g = (g + t + ((h & a) | (b & (h | a)))) | 0;
  t = ((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7));
  f = (f + t + (e ^ (c & (d ^ e))) + 0x243185be + w10) | 0;
  b = (b + f) | 0;
  t = ((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10));
  f = (f + t + ((g & h) | (a & (g | h)))) | 0;
  t = ((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7));
  e = (e + t + (d ^ (b & (c ^ d))) + 0x550c7dc3 + w11) | 0;
  a = (a + e) | 0;
  t = ((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10));
  e = (e + t + ((f & g) | (h & (f | g)))) | 0;
  t = ((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7));
  d = (d + t + (c ^ (a & (b ^ c))) + 0x72be5d74 + w12) | 0;
  h = (h + d) | 0;
  t = ((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10));
  d = (d + t + ((e & f) | (g & (e | f)))) | 0;
  t = ((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7));
  c = (c + t + (b ^ (h & (a ^ b))) + 0x80deb1fe + w13) | 0;
  g = (g + c) | 0;
  t = ((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10));
  c = (c + t + ((d & e) | (f & (d | e)))) | 0;
  t = ((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7));
  b = (b + t + (a ^ (g & (h ^ a))) + 0x9bdc06a7 + w14) | 0;
  f = (f + b) | 0;
  t = ((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10));
  b = (b + t + ((c & d) | (e & (c | d)))) | 0;
  t = ((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7));
  a = (a + t + (h ^ (f & (g ^ h))) + 0xc19bf174 + w15) | 0;
  e = (e + a) | 0;
  t = ((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10));
  a = (a + t + ((b & c) | (d & (b | c)))) | 0;

  for (let k = 0; k < 48; k += 16) {
    t = ((w1 >>> 7) | (w1 << 25)) ^ ((w1 >>> 18) | (w1 << 14)) ^ (w1 >>> 3);
    w0 = (w0 + t + w9 + (((w14 >>> 17) | (w14 << 15)) ^ ((w14 >>> 19) | (w14 << 13)) ^ (w14 >>> 10))) | 0;
    t = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    h = (h + t + (g ^ (e & (f ^ g))) + (LATER_ROUNDS[k] as number) + w0) | 0;
    d = (d + h) | 0;
    t = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    h = (h + t + ((a & b) | (c & (a | b)))) | 0;
    t = ((w2 >>> 7) | (w2 << 25)) ^ ((w2 >>> 18) | (w2 << 14)) ^ (w2 >>> 3);
    w1 = (w1 + t + w10 + (((w15 >>> 17) | (w15 << 15)) ^ ((w15 >>> 19) | (w15 << 13)) ^ (w15 >>> 10))) | 0;
    t = ((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7));
    g = (g + t + (f ^ (d & (e ^ f))) + (LATER_ROUNDS[k + 1] as number) + w1) | 0;
    c = (c + g) | 0;
    t = ((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10));
    g = (g + t + ((h & a) | (b & (h | a)))) | 0;
    t = ((w3 >>> 7) | (w3 << 25)) ^ ((w3 >>> 18) | (w3 << 14)) ^ (w3 >>> 3);
    w2 = (w2 + t + w11 + (((w0 >>> 17) | (w0 << 15)) ^ ((w0 >>> 19) | (w0 << 13)) ^ (w0 >>> 10))) | 0;
    t = ((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7));
    f = (f + t + (e ^ (c & (d ^ e))) + (LATER_ROUNDS[k + 2] as number) + w2) | 0;
    b = (b + f) | 0;
    t = ((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10));
    f = (f + t + ((g & h) | (a & (g | h)))) | 0;
    t = ((w4 >>> 7) | (w4 << 25)) ^ ((w4 >>> 18) | (w4 << 14)) ^ (w4 >>> 3);
    w3 = (w3 + t + w12 + (((w1 >>> 17) | (w1 << 15)) ^ ((w1 >>> 19) | (w1 << 13)) ^ (w1 >>> 10))) | 0;
    t = ((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7));
    e = (e + t + (d ^ (b & (c ^ d))) + (LATER_ROUNDS[k + 3] as number) + w3) | 0;
    a = (a + e) | 0;
    t = ((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10));
    e = (e + t + ((f & g) | (h & (f | g)))) | 0;
    t = ((w5 >>> 7) | (w5 << 25)) ^ ((w5 >>> 18) | (w5 << 14)) ^ (w5 >>> 3);
    w4 = (w4 + t + w13 + (((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10))) | 0;
    t = ((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7));
    d = (d + t + (c ^ (a & (b ^ c))) + (LATER_ROUNDS[k + 4] as number) + w4) | 0;
    h = (h + d) | 0;
    t = ((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10));
    d = (d + t + ((e & f) | (g & (e | f)))) | 0;
    t = ((w6 >>> 7) | (w6 << 25)) ^ ((w6 >>> 18) | (w6 << 14)) ^ (w6 >>> 3);
    w5 = (w5 + t + w14 + (((w3 >>> 17) | (w3 << 15)) ^ ((w3 >>> 19) | (w3 << 13)) ^ (w3 >>> 10))) | 0;
    t = ((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7));
    c = (c + t + (b ^ (h & (a ^ b))) + (LATER_ROUNDS[k + 5] as number) + w5) | 0;
    g = (g + c) | 0;
    t = ((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10));
    c = (c + t + ((d & e) | (f & (d | e)))) | 0;
    t = ((w7 >>> 7) | (w7 << 25)) ^ ((w7 >>> 18) | (w7 << 14)) ^ (w7 >>> 3);
    w6 = (w6 + t + w15 + (((w4 >>> 17) | (w4 << 15)) ^ ((w4 >>> 19) | (w4 << 13)) ^ (w4 >>> 10))) | 0;
    t = ((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7));
    b = (b + t + (a ^ (g & (h ^ a))) + (LATER_ROUNDS[k + 6] as number) + w6) | 0;
    f = (f + b) | 0;
    t = ((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10));
    b = (b + t + ((c & d) | (e & (c | d)))) | 0;
    t = ((w8 >>> 7) | (w8 << 25)) ^ ((w8 >>> 18) | (w8 << 14)) ^ (w8 >>> 3);
    w7 = (w7 + t + w0 + (((w5 >>> 17) | (w5 << 15)) ^ ((w5 >>> 19) | (w5 << 13)) ^ (w5 >>> 10))) | 0;
    t = ((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7));
    a = (a + t + (h ^ (f & (g ^ h))) + (LATER_ROUNDS[k + 7] as number) + w7) | 0;
    e = (e + a) | 0;
    t = ((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10));
    a = (a + t + ((b & c) | (d & (b | c)))) | 0;
    t = ((w9 >>> 7) | (w9 << 25)) ^ ((w9 >>> 18) | (w9 << 14)) ^ (w9 >>> 3);
    w8 = (w8 + t + w1 + (((w6 >>> 17) | (w6 << 15)) ^ ((w6 >>> 19) | (w6 << 13)) ^ (w6 >>> 10))) | 0;
    t = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    h = (h + t + (g ^ (e & (f ^ g))) + (LATER_ROUNDS[k + 8] as number) + w8) | 0;
    d = (d + h) | 0;
    t = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    h = (h + t + ((a & b) | (c & (a | b)))) | 0;
    t = ((w10 >>> 7) | (w10 << 25)) ^ ((w10 >>> 18) | (w10 << 14)) ^ (w10 >>> 3);
    w9 = (w9 + t + w2 + (((w7 >>> 17) | (w7 << 15)) ^ ((w7 >>> 19) | (w7 << 13)) ^ (w7 >>> 10))) | 0;
    t = ((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7));
    g = (g + t + (f ^ (d & (e ^ f))) + (LATER_ROUNDS[k + 9] as number) + w9) | 0;
    c = (c + g) | 0;
    t = ((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10));
    g = (g + t + ((h & a) | (b & (h | a)))) | 0;
    t = ((w11 >>> 7) | (w11 << 25)) ^ ((w11 >>> 18) | (w11 << 14)) ^ (w11 >>> 3);
    w10 = (w10 + t + w3 + (((w8 >>> 17) | (w8 << 15)) ^ ((w8 >>> 19) | (w8 << 13)) ^ (w8 >>> 10))) | 0;
    t = ((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7));
    f = (f + t + (e ^ (c & (d ^ e))) + (LATER_ROUNDS[k + 10] as number) + w10) | 0;
    b = (b + f) | 0;
    t = ((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10));
    f = (f + t + ((g & h) | (a & (g | h)))) | 0;
    t = ((w12 >>> 7) | (w12 << 25)) ^ ((w12 >>> 18) | (w12 << 14)) ^ (w12 >>> 3);
    w11 = (w11 + t + w4 + (((w9 >>> 17) | (w9 << 15)) ^ ((w9 >>> 19) | (w9 << 13)) ^ (w9 >>> 10))) | 0;
    t = ((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7));
    e = (e + t + (d ^ (b & (c ^ d))) + (LATER_ROUNDS[k + 11] as number) + w11) | 0;
    a = (a + e) | 0;
    t = ((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10));
    e = (e + t + ((f & g) | (h & (f | g)))) | 0;
    t = ((w13 >>> 7) | (w13 << 25)) ^ ((w13 >>> 18) | (w13 << 14)) ^ (w13 >>> 3);
    w12 = (w12 + t + w5 + (((w10 >>> 17) | (w10 << 15)) ^ ((w10 >>> 19) | (w10 << 13)) ^ (w10 >>> 10))) | 0;
    t = ((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7));
    d = (d + t + (c ^ (a & (b ^ c))) + (LATER_ROUNDS[k + 12] as number) + w12) | 0;
    h = (h + d) | 0;
    t = ((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10));
    d = (d + t + ((e & f) | (g & (e | f)))) | 0;
    t = ((w14 >>> 7) | (w14 << 25)) ^ ((w14 >>> 18) | (w14 << 14)) ^ (w14 >>> 3);
    w13 = (w13 + t + w6 + (((w11 >>> 17) | (w11 << 15)) ^ ((w11 >>> 19) | (w11 << 13)) ^ (w11 >>> 10))) | 0;
    t = ((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7));
    c = (c + t + (b ^ (h & (a ^ b))) + (LATER_ROUNDS[k + 13] as number) + w13) | 0;
    g = (g + c) | 0;
    t = ((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10));
    c = (c + t + ((d & e) | (f & (d | e)))) | 0;
    t = ((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3);
    w14 = (w14 + t + w7 + (((w12 >>> 17) | (w12 << 15)) ^ ((w12 >>> 19) | (w12 << 13)) ^ (w12 >>> 10))) | 0;
    t = ((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7));
    b = (b + t + (a ^ (g & (h ^ a))) + (LATER_ROUNDS[k + 14] as number) + w14) | 0;
    f = (f + b) | 0;
    t = ((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10));
    b = (b + t + ((c & d) | (e & (c | d)))) | 0;
    t = ((w0 >>> 7) | (w0 << 25)) ^ ((w0 >>> 18) | (w0 << 14)) ^ (w0 >>> 3);
    w15 = (w15 + t + w8 + (((w13 >>> 17) | (w13 << 15)) ^ ((w13 >>> 19) | (w13 << 13)) ^ (w13 >>> 10))) | 0;
    t = ((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7));
    a = (a + t + (h ^ (f & (g ^ h))) + (LATER_ROUNDS[k + 15] as number) + w15) | 0;
    e = (e + a) | 0;
    t = ((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10));
    a = (a + t + ((b & c) | (d & (b | c)))) | 0;
  }

  out[at] = (state[0] as number) + a;
  out[at + 1] = (state[1] as number) + b;
  out[at + 2] = (state[2] as number) + c;
  out[at + 3] = (state[3] as number) + d;
  out[at + 4] = (state[4] as number) + e;
  out[at + 5] = (state[5] as number) + f;
  out[at + 6] = (state[6] as number) + g;
  out[at + 7] = (state[7] as number) + h;
}
