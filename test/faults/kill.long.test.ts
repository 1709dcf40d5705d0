import { describe, it } from 'vitest';
import { survivesKills } from './killed-server.js';
import { transports } from './serving.js';

/**
 * Folders, of which each outlives several kills, 200 in all: what was answered before the first is there after the
 * last.
 */
const FOLDERS = Array.from({ length: 10 }, (_, folder) => folder);

describe.each(transports)('over %s', (transport) => {
  it.each(FOLDERS)('a server that was killed ten times under load has all that it answered (folder %i)', () =>
    survivesKills(transport, 10),
  );
});
