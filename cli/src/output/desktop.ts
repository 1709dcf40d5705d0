/** Notices on the desktop of whoever runs a command, by the program that its system has for them. */
import { spawn } from 'node:child_process';
import { type Terminal, UsageError } from '../syntax/define.js';
import { printable } from './show.js';

/** Shows a text. Settles when it was handed over. */
export type Notify = (text: string) => Promise<void>;

const LONGEST = 400;
/** Program that is given its texts as arguments of its own, so that none of them is a script. */
const OSA = ['-e', 'on run argv', '-e', 'display notification (item 1 of argv) with title "Weft"', '-e', 'end run'];

export function desktopNotices({ environment, err }: Pick<Terminal, 'environment' | 'err'>): Notify {
  const [program, ...args] =
    process.platform === 'darwin' ? ['osascript', ...OSA] : ['notify-send', '--app-name=Weft', '--', 'Weft'];
  return (text) =>
    new Promise((resolve, reject) => {
      const shown = printable(text).replaceAll(/\s+/g, ' ').slice(0, LONGEST);
      // Desktops of Linux show markup, which a title of somebody else's work shall not be.
      const safe = process.platform === 'darwin' ? shown : shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const child = spawn(program!, [...args, safe], { stdio: 'ignore', env: environment });
      child.once('error', () =>
        reject(new UsageError(`${program} shows notices on a desktop, and cannot be started here: leave --notify out`)),
      );
      child.once('close', (code) => {
        if (code !== 0) err(`weft: ${program} could not show a notice: it ended with ${code}`);
        resolve();
      });
    });
}
