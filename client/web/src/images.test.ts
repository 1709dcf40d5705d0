import { expect, it, onTestFinished } from 'vitest';
import { imageUrl } from './images.js';
import { World } from './testing/pages.js';

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]);

async function page() {
  const world = new World();
  onTestFinished(() => world.end());
  const room = world.open();
  await room.joined;
  return { room, world };
}

it('shows an image under one address for all who show it, until the last lets go', async () => {
  const { room } = await page();
  const hash = await room.putBlob(png);
  const [one, two] = await Promise.all([imageUrl(room, hash), imageUrl(room, hash)]);
  expect(one.url).toBe(two.url);
  one.release();
  one.release();
  const shown = await fetch(two.url);
  expect([shown.headers.get('content-type'), new Uint8Array(await shown.arrayBuffer())]).toEqual(['image/png', png]);
  two.release();
  await expect
    .poll(() =>
      fetch(two.url).then(
        () => 'there',
        () => 'gone',
      ),
    )
    .toBe('gone');
  const again = await imageUrl(room, hash);
  expect(again.url).not.toBe(two.url);
  again.release();
});

it('shows nothing that is no image by its bytes, and says what is missing', async () => {
  const { room } = await page();
  for (const text of ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<script>alert(1)</script>', '']) {
    const hash = await room.putBlob(new TextEncoder().encode(text));
    await expect(imageUrl(room, hash)).rejects.toThrow('is no PNG');
  }
  await expect(imageUrl(room, '0'.repeat(64))).rejects.toThrow('has no blob');
});

it('keeps a file that a page puts while it has no network, and sends it when it has', async () => {
  const { room, world } = await page();
  world.cut();
  const put = room.putBlob(png);
  world.isOnline = true;
  expect(await room.client.getBlob(await put)).toEqual(png);
});
