/** `weft key …`: keys of models, which the running studio holds in memory. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { table } from '../output/show.js';
import { StudioClient } from '../studio/studio-client.js';
import { connectionFlags } from '../studio/studio-connection.js';
import { type Terminal, UsageError, cliCommand } from '../syntax/define.js';
import { jsonFlag } from '../syntax/flags.js';

export const setKey = cliCommand({
  operands: ['name'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [credentialRef]) => {
  const apiKey = await keyFrom(terminal, credentialRef);
  const kept = await new StudioClient(given, terminal).call<object>('credential.keep', { credentialRef, apiKey });
  terminal.out(json ? JSON.stringify(kept) : `the studio has the key ${credentialRef} until it stops`);
});

export const listKeys = cliCommand({
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal) => {
  const keys = await new StudioClient(given, terminal).call<{ credentialRef: string }[]>('credential.list');
  if (json) return terminal.out(JSON.stringify(keys));
  if (keys.length === 0) return terminal.out('the studio holds no key; weft key set <name> gives it one');
  for (const line of table(
    ['key'],
    keys.map((key) => [key.credentialRef]),
    terminal,
  ))
    terminal.out(line);
});

export const forgetKey = cliCommand({
  operands: ['name'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [credentialRef]) => {
  const gone = await new StudioClient(given, terminal).call<object>('credential.evict', { credentialRef });
  terminal.out(json ? JSON.stringify(gone) : `the studio has forgotten the key ${credentialRef}`);
});

/** Key out of the first line of stdin: arguments are seen by everybody on the machine, and kept in the history of shells. */
async function keyFrom(terminal: Terminal, name: string): Promise<string> {
  if (terminal.canAsk) terminal.err(`The key ${name}, then Enter (nothing is shown):`);
  // A terminal that Node reads letter by letter shows what is written to the output, which is nothing.
  const output = new Writable({ write: (_letters, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.input(), output, terminal: terminal.canAsk });
  terminal.stop.addEventListener('abort', () => lines.close(), { once: true });
  for await (const line of lines) {
    lines.close();
    const key = line.trim();
    if (key !== '') return key;
    break;
  }
  terminal.stop.throwIfAborted();
  throw new UsageError(`no key came over standard input: printenv SOME_KEY | weft key set ${name}`);
}
