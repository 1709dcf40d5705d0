import type { Crypto } from '../../ports/crypto.js';
import { nativeCrypto } from './native.js';
import { portableCrypto } from './portable.js';

/** The fastest implementation that this runtime has. */
export const defaultCrypto: Crypto = nativeCrypto() ?? portableCrypto;
