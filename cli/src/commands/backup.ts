import { resolve } from 'node:path';
import { type Copied, restoreBackup } from '@weft/core/level';
import { backup as backupOperation } from '@weft/server';
import { type Terminal, cliCommand } from '../define.js';
import { folderFlags } from '../flags.js';
import { operate } from '../operator.js';

export const backup = cliCommand({
  name: 'backup',
  summary: 'Copy a data folder, while its server goes on. The copy is checked, and is there whole or not at all.',
  operands: ['new folder'],
  flags: folderFlags,
}).run(async ({ store, json }, terminal, [target]) => {
  tell(await operate(store, backupOperation, { target: resolve(target) }, terminal), json, terminal);
});

export const restore = cliCommand({
  name: 'restore',
  summary: 'Make a data folder of a backup. All of it is checked.',
  operands: ['backup'],
  flags: { ...folderFlags, store: { ...folderFlags.store, summary: 'Data folder, which must not be there yet.' } },
}).run(async ({ store, json }, terminal, [source]) => {
  tell(await restoreBackup(source, store), json, terminal);
});

/** What is damaged makes the command fail: the copy is as good as it can be, and not good. */
function tell(copied: Copied, json: boolean, terminal: Terminal): void {
  const { rooms, blobs, bytes, damaged } = copied;
  terminal.out(json ? JSON.stringify(copied) : `${rooms} rooms, ${blobs} blobs, ${bytes} bytes`);
  if (damaged.length > 0) throw new Error(`damaged in the original: ${damaged.join(', ')}`);
}
