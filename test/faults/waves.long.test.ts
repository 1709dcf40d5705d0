import { describeWaves } from './waves.js';

describeWaves(300, 96);
