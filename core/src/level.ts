export { folderArchives } from './adapters/folder/folder-archives.js';
export { levelStore } from './adapters/level/level-store.js';
export { privateFile } from './adapters/level/private-file.js';
