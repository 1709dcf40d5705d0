/** Encryption of what a device keeps, apart from the rest: few applications have a key for it. */
export { encrypted } from './storage/encrypted.js';
