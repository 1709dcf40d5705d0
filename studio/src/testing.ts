/** Parts of the studio that benches measure by themselves: git objects, folders of branches, and which branches collide. */
export { Radar } from './branches/radar.js';
export type { Collision } from './branches/radar.js';
export { nodeObjectStores } from './workspace/node-object-store.js';
export { NodeSpaces } from './workspace/node-spaces.js';
export type { SpacesOptions } from './workspace/node-spaces.js';
export type { ObjectStore, ObjectStores } from './workspace/object-store.js';
