/** Storage in a folder, apart from the rest: for programs on Node, Deno and Bun. */
export { folder } from './storage/folder.js';
