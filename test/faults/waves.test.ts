import { describeWaves } from './waves.js';

describeWaves(5);
