/** `weft serve` on the portable transport; on the one that a server takes by itself, `serve.test.ts` has the same. */
import { servesOn } from './serves-on.js';

servesOn('ws');
