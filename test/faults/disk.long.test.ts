import { damagedLogsOpenAsBeginnings } from './damaged-logs.js';

damagedLogsOpenAsBeginnings(40);
