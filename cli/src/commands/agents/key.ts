/** `weft key …`: keys of models, which the running studio holds in memory. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable, table } from '../../output/show.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { KEY_VARIABLES } from '../../studio/vendor-keys.js';
import { nearest } from '../../syntax/near-misses.js';
import { Interrupted, type Terminal, UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

interface Key {
  readonly credentialRef: string;
}

/** Vendors whose own key is held under their name. Any other name is free: models name the one that they are given. */
const VENDORS = Object.keys(KEY_VARIABLES);

/** Letters of the longest key. Those of vendors have some hundred. */
const LONGEST_KEY = 8192;

export const setKey = cliCommand({
  operands: ['name'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [credentialRef]) => {
  const apiKey = await keyFrom(terminal, credentialRef);
  const client = new StudioClient(given, terminal);
  const meant = await nearMiss(client, credentialRef);
  const kept = await client.call<object>('credential.keep', { credentialRef, apiKey });
  terminal.out(json ? JSON.stringify(kept) : `the studio has the key ${credentialRef} until it stops`);
  if (meant === undefined) return;
  const what = VENDORS.includes(meant) ? 'is no vendor' : 'is a name that no work waits for';
  const commands = `weft key set ${meant}, then weft key forget ${credentialRef}`;
  terminal.err(printable(`weft: ${credentialRef} ${what}; did you mean ${meant}? ${commands}`));
});

/** Name that was most likely meant: of a vendor, or of a key that work waits for. A name that is near to none is one's own. */
async function nearMiss(client: StudioClient, name: string): Promise<string | undefined> {
  const { items } = await client.call<{ items: readonly { kind: string; id: string }[] }>('attention.list');
  const wanted = items.flatMap(({ kind, id }) => (kind === 'key' ? [id] : []));
  const known = [...wanted, ...VENDORS];
  return known.includes(name) ? undefined : nearest(name, known);
}

export const listKeys = cliCommand({
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal) => {
  const keys = await new StudioClient(given, terminal).call<readonly Key[]>('credential.list');
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
  const client = new StudioClient(given, terminal);
  const keys = await client.call<readonly Key[]>('credential.list');
  if (!keys.some((key) => key.credentialRef === credentialRef))
    throw new UsageError(`the studio holds no key ${credentialRef}; weft key list shows those that it holds`);
  const gone = await client.call<object>('credential.evict', { credentialRef });
  terminal.out(json ? JSON.stringify(gone) : `the studio has forgotten the key ${credentialRef}`);
});

/**
 * Key out of the one line of stdin: arguments are seen by everybody on the machine, and kept in the history of shells. Whoever types it
 * has ended it with Enter; a program may send nothing behind it.
 */
async function keyFrom(terminal: Terminal, name: string): Promise<string> {
  const key = terminal.canAsk ? await typedKey(terminal, name) : await sentKey(terminal);
  terminal.stop.throwIfAborted();
  if (key === '') throw new UsageError(`no key came over standard input: printenv SOME_KEY | weft key set ${name}`);
  if (!/^[!-~]+$/.test(key) || key.length > LONGEST_KEY)
    throw new UsageError(
      `what came over standard input is no key: one is a line of at most ${LONGEST_KEY} letters without spaces`,
    );
  return key;
}

async function typedKey(terminal: Terminal, name: string): Promise<string> {
  terminal.err(`The key ${name}, then Enter (nothing is shown):`);
  // A terminal that Node reads letter by letter shows what is written to the output, which is nothing.
  const output = new Writable({ write: (_letters, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.input(), output, terminal: true });
  let isStopped = false;
  // Ctrl-C comes as a letter there, not as a signal.
  lines.on('SIGINT', () => {
    isStopped = true;
    lines.close();
  });
  terminal.stop.addEventListener('abort', () => lines.close(), { once: true });
  let typed = '';
  for await (const line of lines) {
    typed = line.trim();
    lines.close();
    break;
  }
  if (isStopped) throw new Interrupted();
  return typed;
}

async function sentKey({ input, stop }: Terminal): Promise<string> {
  let text = '';
  const stream = input();
  stop.addEventListener('abort', () => stream.destroy(), { once: true });
  for await (const piece of stream) {
    text += String(piece);
    if (text.length > LONGEST_KEY * 2) break;
  }
  return text.trim();
}
