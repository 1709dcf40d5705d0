// Opens the level store of a folder and puts blobs into it until it is killed. Each line on stdout is a fact that
// must outlive the process: `open`, `put <hash> <size>`, `linked <hash>`.
import { createHash, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { parseBlobHash, parseRoomId } from '@weft/core';
import { levelStore } from '@weft/core/level';

const [folder, sides] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const room = parseRoomId('room');
const store = levelStore(folder);
await store.open();
say('open');

async function* slowly(bytes) {
  for (let at = 0; at < bytes.length; at += 20_000) {
    yield bytes.subarray(at, at + 20_000);
    if (Math.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
  }
}

await Promise.all(
  Array.from({ length: Number(sides) }, async () => {
    for (;;) {
      const bytes = randomBytes(Math.floor(Math.random() * 300_000));
      const hash = parseBlobHash(createHash('sha256').update(bytes).digest('hex'));
      await store.blobs.put(hash, slowly(bytes), bytes.length);
      say(`put ${hash} ${bytes.length}`);
      if (await store.blobs.link(room, hash)) say(`linked ${hash}`);
    }
  }),
);
