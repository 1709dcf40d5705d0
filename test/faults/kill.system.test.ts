import { describe, it } from 'vitest';
import { survivesKills } from './killed-server.js';
import { transports } from './serving.js';

describe.each(transports)('over %s', (transport) => {
  it('fault 38: a server that was killed under load has all that it answered, and nothing that was not sent', () =>
    survivesKills(transport, 3));
});
