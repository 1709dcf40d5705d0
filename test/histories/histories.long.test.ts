import { expect, it } from 'vitest';
import { tried } from './tried.js';

it('what clients were answered stands over ten minutes of harm', async () => {
  for (let minute = 0; minute < 10; minute++) {
    const { violations, waiting } = await tried({}, 60_000);
    expect({ violations, waiting }).toEqual({ violations: [], waiting: [] });
  }
});
