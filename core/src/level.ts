export { levelStore } from './adapters/level/level-store.js';
export { privateFile } from './adapters/level/private-file.js';
