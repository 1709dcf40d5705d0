/** Decoder with a fault of each kind, to see that the fuzzer finds them. */
import type { Target } from '../target.js';

const SLOW_MS = 400;

export const broken: Target = {
  name: 'broken-decoders',
  seeds: () => [Uint8Array.of(1, 2, 3, 4)],
  decode([first = 0, ...rest]) {
    if (first === 0x90 && rest.length > 0) throw new TypeError('a bug');
    if (first === 0xa0 && rest.length > 0) new Uint8Array(1 << 24);
    if (first !== 0xdd || rest.length === 0) return;
    const until = performance.now() + SLOW_MS;
    while (performance.now() < until);
  },
  isRefusal: () => false,
};
