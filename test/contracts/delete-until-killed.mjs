// Opens the store of a folder, fills rooms and deletes them, one after the other, until it is killed. Lines on stdout: `open`,
// `deleting <room>`, `deleted <room>`.
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createHost } from '@weft/core';
import { levelStore } from '@weft/core/level';

const [folder, first] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const host = createHost({ store: levelStore(folder) });
await host.ready();
say('open');

for (let number = Number(first); ; number++) {
  const room_id = `room${number}`;
  const submit = (command) => host.submit({ room_id, command });
  const bytes = Buffer.from(`of ${room_id}`);
  const hash = createHash('sha256').update(bytes).digest('hex');
  for (let i = 0; i < 5; i++)
    await host.withRoom(room_id, (room) => room.set(`k${i}`, new Uint8Array(200_000).fill(number + i)));
  await submit({ BlobSet: { namespace: 'files', hash, data_b64: bytes.toString('base64') } });
  await submit('CompactRoom');
  say(`deleting ${room_id}`);
  await submit({ DeleteRoom: { confirm: room_id } });
  say(`deleted ${room_id}`);
}
