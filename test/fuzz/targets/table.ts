/** All decoders that are fuzzed. */
import type { Target } from '../target.js';
import { codecTargets } from './codec.js';
import { peerTargets } from './peers.js';
import { programTargets } from './programs.js';
import { roomTargets } from './rooms.js';

export const targets: readonly Target[] = [...codecTargets, ...roomTargets, ...peerTargets, ...programTargets];
