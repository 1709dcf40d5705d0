/**
 * Parts of the studio that benches and tests of this repository look at by themselves: git objects, folders of branches, which branches
 * collide, the tools that agents alone are served, and programs with what confines them.
 */
export { agentTable } from './operations/agent-tools/table.js';
export { Radar } from './rules/branches/radar.js';
export type { Collision } from './rules/branches/radar.js';
export { nodeObjectStores } from './workspace/git/objects/node-object-store.js';
export { NodeSpaces } from './workspace/git/spaces/node-spaces.js';
export type { SpacesOptions } from './workspace/git/spaces/node-spaces.js';
export type { ObjectStore, ObjectStores } from './workspace/git/objects/object-store.js';
export { NodeEgress } from './workspace/egress/node-egress.js';
export { NodeProcesses } from './workspace/programs/node-processes.js';
export type { ProcessOptions } from './workspace/programs/node-processes.js';
export { nodeRunner } from './workspace/programs/node-runner.js';
export { groupParents } from './workspace/sandbox/control-groups.js';
export { findConfinement } from './workspace/sandbox/node-confinement.js';
