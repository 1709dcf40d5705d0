/** All decoders that are fuzzed. */
import type { Target } from '../target.js';
import { agentTargets } from './agents.js';
import { authorityTargets } from './authority.js';
import { codecTargets } from './codec.js';
import { forgeTargets } from './forges.js';
import { peerTargets } from './peers.js';
import { programTargets } from './programs.js';
import { roomTargets } from './rooms.js';

export const targets: readonly Target[] = [
  ...[codecTargets, authorityTargets, roomTargets, peerTargets].flat(),
  ...[programTargets, agentTargets, forgeTargets].flat(),
];
