/** `weft open`: a link to the page of a running studio, which is opened in the browser of whoever sits here. */
import { spawn } from 'node:child_process';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

export const open = cliCommand({
  flags: {
    scope: {
      summary: 'What the page may do.',
      value: 'name',
      choices: ['read', 'operate', 'admin'],
      initially: 'operate',
    },
    print: { summary: 'Print the link, and open nothing.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ scope: wanted = 'operate', print, json, ...given }, terminal) => {
  const scope = wanted === 'read' || wanted === 'admin' ? wanted : 'operate';
  const link = await new StudioClient(given, terminal).pageLink(scope);
  if (json) return terminal.out(JSON.stringify({ link }));
  if (print || !terminal.canAsk) return terminal.out(link);
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const failed = await launched(program, [...args, link]);
  terminal.out(failed ? link : 'the page opens in your browser');
});

/** Program that opens an address with what the user has chosen for it. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Starts a program that outlives this one. Answers whether there is none. */
function launched(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(true));
    child.once('spawn', () => {
      child.unref();
      resolve(false);
    });
  });
}
