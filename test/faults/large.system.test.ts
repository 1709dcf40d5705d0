/** Rooms and pushes of a size that is real, in their short forms. */
import { describe, it } from 'vitest';
import { offlinePush } from './offline-push.js';
import { transports } from './serving.js';
import { slowJoin } from './slow-join.js';

describe.each(transports)('over %s', (transport) => {
  it('slow joiners of a large room get all of it while others write', () =>
    slowJoin(transport, { joiners: 6, mebibytes: 10, pauseMs: 50 }));
});

it('20,000 nodes that were typed offline are taken in one push', () => offlinePush(20_000));
