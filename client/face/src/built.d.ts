/** The built page: the bundler puts it in place of this module. */
import type { Face } from './index.js';

export declare const face: Face;
