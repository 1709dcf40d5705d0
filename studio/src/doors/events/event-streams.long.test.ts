import { it } from 'vitest';
import { readOverDisconnections } from '../../testing/doors/event-log.js';

it('fault 35: gives each event once and in order over 1,000 disconnections at random', async () => {
  await readOverDisconnections(1000);
});
