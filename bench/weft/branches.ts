// What the bench `workspace` needs of the studio's insides.
export { Radar } from '#studio/branches/radar';
export { nodeObjectStores } from '#studio/workspace/node-object-store';
export { NodeSpaces } from '#studio/workspace/node-spaces';
export type { ObjectStore } from '#studio/workspace/object-store';
