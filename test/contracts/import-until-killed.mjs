// Opens the store of a folder and takes an archive into one room after the other, and writes each of them to an archive
// again, until it is killed. Lines on stdout: `open`, `importing <room>`, `imported <room>`, `exported <name>`.
import { writeSync } from 'node:fs';
import { createHost } from '@weft/core';
import { folderArchives, levelStore } from '@weft/core/level';

const [folder, root, first] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const host = createHost({ store: levelStore(folder), archives: { stores: { file: folderArchives(root) } } });
await host.ready();
say('open');

for (let number = Number(first); ; number++) {
  const [room_id, name] = [`room-${number}`, `made-${number % 3}.weft`];
  const [into, out] = ['file://all.weft', `file://${name}`];
  say(`importing ${room_id}`);
  await host.submit({ room_id, command: { ImportArchive: { archive_ref: into, import_mode: 'full_apply' } } });
  say(`imported ${room_id}`);
  await host.submit({ room_id: 'all', command: { ExportArchive: { archive_ref: out } } });
  say(`exported ${name}`);
}
