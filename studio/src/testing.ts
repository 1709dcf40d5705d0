/** Parts of the studio that benches measure by themselves: git objects, folders of branches, and which branches collide. */
export { Radar } from './rules/branches/radar.js';
export type { Collision } from './rules/branches/radar.js';
export { nodeObjectStores } from './workspace/git/node-object-store.js';
export { NodeSpaces } from './workspace/git/node-spaces.js';
export type { SpacesOptions } from './workspace/git/node-spaces.js';
export type { ObjectStore, ObjectStores } from './workspace/git/object-store.js';
