// Opens the level store of a folder, appends, merges and puts images until it is killed. Each line on stdout is a
// fact that must outlive the process: `open`, `head <room> <nodes>`, `merged <room> <nodes>`, `image <room> <number>`.
// All rooms have the same nodes, so they share segments, and drop shared ones while others take them.
import { writeSync } from 'node:fs';
import { levelStore } from '@weft/core/level';

const [folder, ...rooms] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const packOf = (from, count) =>
  Buffer.from(Array.from({ length: count }, (_, i) => `${from + i} ${'.'.repeat((from + i) % 100)}\n`).join(''));
const store = levelStore(folder);
await store.open();
say('open');

async function write(room) {
  let head = await store.log.head(room);
  for (;;) {
    const count = 1 + (head % 3);
    await store.log.append(room, head, { count, pack: packOf(head, count) });
    head += count;
    say(`head ${room} ${head}`);
  }
}

/** Merges what was appended since the segments end, and every third time from some segment on. */
async function merge(room) {
  // The end of the segments is not known at first: a merge may always begin at 0.
  let end = 0;
  for (let turn = 1; ; turn++) {
    const starts = [0];
    for await (const { seq } of store.log.read(room, 0)) if (seq < end) starts.push(seq);
    const from = turn % 3 === 0 ? starts[turn % starts.length] : end;
    const head = await store.log.head(room);
    if (head === from) {
      await new Promise(setImmediate);
      continue;
    }
    const merged = await store.log.merge(room, from, { count: head - from, pack: packOf(from, head - from) });
    if (!merged) throw new Error(`${room} did not merge ${from} to ${head}`);
    end = head;
    say(`merged ${room} ${end}`);
  }
}

async function draw(room) {
  const last = await store.images.get(room);
  for (let number = last ? last[0] + 256 * last[1] + 1 : 1; ; number++) {
    const piece = Buffer.alloc(50_000, Buffer.from([number % 256, number >> 8]));
    await store.images.put(room, [piece, piece, piece]);
    say(`image ${room} ${number}`);
  }
}

await Promise.all(rooms.flatMap((room) => [write(room), merge(room), draw(room)]));
