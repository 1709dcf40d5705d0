/** What a server holds in memory of those who harm it, on a machine that is weighed. */
import { describe, it } from 'vitest';
import { fragments } from './fragments.js';
import { orphans } from './orphans.js';
import { survivesOddFrames } from './poured-frames.js';
import { canWeigh } from './resident-memory.js';
import { transports } from './serving.js';
import { stoppedReaders } from './stopped-readers.js';

describe.runIf(canWeigh).each(transports)('over %s', (transport) => {
  it('fault 3: thousands of odd frames leave a server that holds nothing', () => survivesOddFrames(transport, 64));

  it('fault 5: a message in a million fragments costs no more than its bytes', () => fragments(transport, 64));

  it('fault 7: readers that stop are not held in memory', () => stoppedReaders(transport, 144));
});

it('fault 14: nodes whose parents never come are given up beyond a bound', () => orphans(40));
