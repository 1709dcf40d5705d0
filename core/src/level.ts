export { restoreBackup } from './adapters/level/backup.js';
export type { Copied } from './adapters/level/backup.js';
export { backUp, levelStore } from './adapters/level/level-store.js';
export type { LevelOptions } from './adapters/level/level-store.js';
export { privateFile } from './adapters/level/private-file.js';
