// Appends to a log without an end, and says of each append whether it was answered: `kept <where the log ends>`, or `refused`.
import { setTimeout } from 'node:timers/promises';
import { levelStore } from '@weft/core/level';

const [, , folder = ''] = process.argv;
const store = levelStore(folder);
await store.open();
for (;;) {
  const head = await store.log.head('room');
  const pack = new Uint8Array(300).fill(head);
  const said = await store.log.append('room', head, { count: 1, pack }).then(
    () => `kept ${head + 1}`,
    (error) => `refused ${error.message}`,
  );
  console.log(said);
  await setTimeout(1); // else nothing that was said leaves before the next append
}
