/**
 * Equality of bytes, as every test file begins with: a comparison of memory. `expect` would list and compare their elements as it does
 * the fields of an object, which took more of some files than what they test. Bytes of two classes, such as a Buffer and a
 * Uint8Array, stay with `expect`, which knows where the class counts.
 */
import { expect } from 'vitest';

const added = Symbol.for('weft: bytes are compared as memory');

function equalBytes(one: unknown, other: unknown): boolean | undefined {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return undefined;
  if (one.constructor !== other.constructor) return undefined;
  return Buffer.compare(one, other) === 0;
}

// Processes run many files, and what is added stays.
const shared = globalThis as { [added]?: boolean };
if (shared[added] !== true) {
  shared[added] = true;
  expect.addEqualityTesters([equalBytes]);
}
