export { memoryArchives } from './adapters/memory/memory-archives.js';
export { memoryStore } from './adapters/memory/memory-store.js';
export type { MemoryStoreOptions } from './adapters/memory/memory-store.js';
