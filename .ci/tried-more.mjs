// fast-check of the long suite, which takes its place there: every property is tried twenty times as often as its test says.
import fc from '../node_modules/fast-check/lib/fast-check.js';

/** Times as often. */
const MORE = 20;

export * from '../node_modules/fast-check/lib/fast-check.js';

export function assert(property, parameters = {}) {
  const { numRuns = 100 } = parameters;
  return fc.assert(property, { ...parameters, numRuns: numRuns * MORE });
}

export default { ...fc, assert };
