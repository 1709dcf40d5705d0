import { describe, it } from 'vitest';
import { survivesKills } from './killed-server.js';
import { transports } from './serving.js';

/** 200 kills. A folder outlives ten of them: what was answered before the first is there after the last. */
const FOLDERS = Array.from({ length: 10 }, (_, folder) => folder);

describe.each(transports)('over %s', (transport) => {
  it.each(FOLDERS)('a server that was killed ten times under load has all that it answered (folder %i)', () =>
    survivesKills(transport, 10),
  );
});
