// Opens the level store of a folder and appends to it until it is killed. Each line on stdout is a fact that
// must outlive the process: `open`, `refused <fault>`, or `<room> <seq>` for an answered append.
import { writeSync } from 'node:fs';
import { levelStore } from '@weft/core/level';

const [folder, rooms] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const store = levelStore(folder);
try {
  await store.open();
} catch (error) {
  say(`refused ${error.fault}`);
  process.exit(0);
}
say('open');

await Promise.all(
  Array.from({ length: Number(rooms) }, async (_, number) => {
    const room = `room-${number}`;
    let head = await store.log.head(room);
    for (;;) {
      const pack = Buffer.from(`${room} ${head} ${'.'.repeat(head % 3000)}`);
      const { seq } = await store.log.append(room, head, { count: 1, pack });
      say(`${room} ${seq}`);
      head = seq + 1;
    }
  }),
);
