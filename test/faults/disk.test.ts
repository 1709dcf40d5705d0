/** A few rounds of each damage; the long suite has many. */
import { damagedLogsOpenAsBeginnings } from './damaged-logs.js';

damagedLogsOpenAsBeginnings(10);
