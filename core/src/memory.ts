export { memoryStore } from './adapters/memory/memory-store.js';
