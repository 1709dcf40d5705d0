import { expect, it } from 'vitest';
import { fateOf, smallArchive } from '../testing/archive-sites.js';

it('[AR4] an archive is refused whichever bit was flipped', async () => {
  const all = await smallArchive();
  for (let at = 0; at < all.bytes.length; at++) {
    for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const bytes = all.bytes.slice();
      bytes[at]! ^= bit;
      expect(await fateOf(all, bytes), `bit ${bit} of byte ${at} of ${bytes.length}`).not.toBe('accepted');
    }
  }
});
