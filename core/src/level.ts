export { folderArchives } from './adapters/folder/folder-archives.js';
export { restoreBackup } from './adapters/level/backup.js';
export type { Copied, Watching } from './adapters/level/backup.js';
export { syncFolder } from './adapters/level/disk.js';
export { backUp, levelStore } from './adapters/level/level-store.js';
export type { LevelOptions } from './adapters/level/level-store.js';
export { lockHolder } from './adapters/level/lock-holder.js';
export { privateFile } from './adapters/level/private-file.js';
