/** Rooms and pushes of a size that is real, in their short forms. */
import { describe, it } from 'vitest';
import { offlinePush } from './offline-push.js';
import { canWeigh, transports } from './serving.js';
import { slowJoin } from './slow-join.js';

describe.each(transports)('over %s', (transport) => {
  it.runIf(canWeigh)('slow joiners of a large room get all of it while others write, and are not held in memory', () =>
    slowJoin(transport, { joiners: 12, mebibytes: 20, mayGrow: 256, pauseMs: 50 }),
  );
});

it('20,000 nodes that were typed offline are taken in one push', () => offlinePush(20_000));
