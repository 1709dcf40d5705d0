import { describe, it } from 'vitest';
import { survivesOddFrames } from './poured-frames.js';
import { transports } from './serving.js';

describe.each(transports)('over %s', (transport) => {
  it('fault 3: very many odd frames leave a server that lives and logs little', () => survivesOddFrames(transport));
});
