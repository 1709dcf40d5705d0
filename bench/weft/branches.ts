// What the bench `workspace` needs of the studio's insides.
export { Radar } from '#studio/rules/branches/radar';
export { nodeObjectStores } from '#studio/workspace/git/node-object-store';
export { NodeSpaces } from '#studio/workspace/git/node-spaces';
export type { ObjectStore } from '#studio/workspace/git/object-store';
