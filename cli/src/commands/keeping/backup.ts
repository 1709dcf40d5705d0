import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Copied, restoreBackup } from '@weft/core/level';
import { backup as backupOperation } from '@weft/server';
import { type Terminal, cliCommand } from '../../syntax/define.js';
import { folderFlags } from '../../syntax/flags.js';
import { configOf } from '../../serving/server-flags.js';
import { operate } from '../../serving/operator.js';
import { mustHaveFolder } from '../../serving/stores.js';
import { ShownProgress } from '../../output/progress.js';

export const backup = cliCommand({
  operands: ['new folder'],
  flags: folderFlags,
}).run(async (flags, terminal, [target]) => {
  const config = configOf(flags, terminal);
  mustHaveFolder(config.store, 'a backup of Weft');
  const folder = resolve(target);
  const copied = await operate(config, backupOperation, { target: folder }, terminal);
  await mustBeSeen(folder);
  tell(copied, flags.json, terminal);
});

export const restore = cliCommand({
  operands: ['backup'],
  flags: { ...folderFlags, store: { ...folderFlags.store, summary: 'Data folder, which must not be there yet.' } },
}).run(async (flags, terminal, [source]) => {
  const folder = mustHaveFolder(configOf(flags, terminal).store, 'a backup of Weft');
  const shown = new ShownProgress(terminal);
  const progress = (done: number, total: number): void => shown.tell({ done, total, unit: 'bytes' });
  try {
    tell(await restoreBackup(source, folder, { progress, signal: terminal.stop }), flags.json, terminal);
  } catch (error) {
    terminal.stop.throwIfAborted();
    throw error;
  } finally {
    shown.end();
  }
});

/** Check that a server's copy is visible here: a server in a service or a container may write to files of its own. */
async function mustBeSeen(folder: string): Promise<void> {
  await access(folder).catch((cause: unknown) => {
    const message = `the server has written ${folder} where only it sees it: name a folder that it shares with this shell`;
    throw new Error(`${message}, below /var/lib/weft-backups for a service of systemd`, { cause });
  });
}

/** Report of a backup. Damage makes the command fail: the copy is as good as it can be, and not good. */
function tell(copied: Copied, json: boolean, terminal: Terminal): void {
  const { rooms, blobs, bytes, damaged } = copied;
  terminal.out(json ? JSON.stringify(copied) : `${rooms} rooms, ${blobs} blobs, ${bytes} bytes`);
  if (damaged.length > 0) throw new Error(`damaged in the original: ${damaged.join(', ')}`);
}
