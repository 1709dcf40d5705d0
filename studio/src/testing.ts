/**
 * Parts of the studio that benches and tests of this repository look at by themselves: git objects, folders of branches, which branches
 * collide, and the tools that agents alone are served.
 */
export { agentTable } from './operations/agent-tools/table.js';
export { Radar } from './rules/branches/radar.js';
export type { Collision } from './rules/branches/radar.js';
export { nodeObjectStores } from './workspace/git/objects/node-object-store.js';
export { NodeSpaces } from './workspace/git/spaces/node-spaces.js';
export type { SpacesOptions } from './workspace/git/spaces/node-spaces.js';
export type { ObjectStore, ObjectStores } from './workspace/git/objects/object-store.js';
