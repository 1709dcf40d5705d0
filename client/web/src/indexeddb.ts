/** Storage of a browser, apart from the rest: programs without one need not load it. */
export { indexedDb } from './storage/indexeddb.js';
export type { IndexedDbOptions } from './storage/indexeddb.js';
