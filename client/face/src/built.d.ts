/** The built page: the bundler puts it in place of this module. */
import type { Face } from './face.js';

export declare const face: Face;
