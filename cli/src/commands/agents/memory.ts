/** `weft memory …`: what later work on a repository is told, proposed by agents and decided by people. */
import { printable, table } from '../../output/show.js';
import { named } from '../../people/work.js';
import { registeredAt } from '../../people/repository.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

interface Memory {
  readonly memoryId: string;
  readonly text: string;
  readonly why?: string;
  readonly status: string;
  readonly version: number;
}

const repo = { summary: 'Folder of the repository; the only one that is registered without.', value: 'folder' };

export const listMemories = cliCommand({
  flags: {
    repo: { ...repo, summary: 'Folder of the repository; all without.' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ json, repo: folder, ...given }, terminal) => {
  const client = new StudioClient(given, terminal);
  const about = folder === undefined ? {} : { repositoryId: (await registeredAt(client, folder)).repositoryId };
  const memories = await client.call<Memory[]>('memory.list', about);
  if (json) return terminal.out(JSON.stringify(memories));
  const shown = memories.filter(({ status }) => status === 'Proposed' || status === 'Confirmed');
  if (shown.length === 0) return terminal.out('nothing is remembered, and nothing is proposed to be');
  const rows = shown.map(({ memoryId, status, text, why }) => [
    memoryId,
    status.toLowerCase(),
    printable(why === undefined || status === 'Confirmed' ? text : `${text} (${why})`),
  ]);
  for (const line of table(['memory', 'state', 'what later work is told'], rows, terminal)) terminal.out(line);
  if (shown.some(({ status }) => status === 'Proposed'))
    terminal.err('weft: agents propose some of these: weft memory confirm or refuse, with its id');
});

export const addMemory = cliCommand({
  operands: ['text'],
  flags: { repo, ...connectionFlags, json: jsonFlag },
}).run(async ({ json, repo: folder, ...given }, terminal, [text]) => {
  const client = new StudioClient(given, terminal);
  const about = folder === undefined ? {} : { repositoryId: (await registeredAt(client, folder)).repositoryId };
  const added = await client.call<Memory>('memory.add', { text, ...about });
  terminal.out(json ? JSON.stringify(added) : `${added.memoryId} is told to later work`);
});

export const confirmMemory = cliCommand({
  operands: ['memory'],
  flags: {
    text: { summary: 'Words in place of its own.', value: 'text' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ json, text, ...given }, terminal, [id]) => {
  const client = new StudioClient(given, terminal);
  const wish = { memoryId: await idOf(client, id), ...(text === undefined ? {} : { text }) };
  const confirmed = await client.call<Memory>('memory.confirm', wish);
  terminal.out(json ? JSON.stringify(confirmed) : `${confirmed.memoryId} is told to later work`);
});

export const refuseMemory = cliCommand({
  operands: ['memory'],
  flags: {
    notes: { summary: 'Why.', value: 'text' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ json, notes, ...given }, terminal, [id]) => {
  const client = new StudioClient(given, terminal);
  const wish = { memoryId: await idOf(client, id), ...(notes === undefined ? {} : { notes }) };
  const refused = await client.call<Memory>('memory.refuse', wish);
  terminal.out(json ? JSON.stringify(refused) : `${refused.memoryId} is refused`);
});

export const removeMemory = cliCommand({
  operands: ['memory'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [id]) => {
  const client = new StudioClient(given, terminal);
  const removed = await client.call<Memory>('memory.remove', { memoryId: await idOf(client, id) });
  terminal.out(json ? JSON.stringify(removed) : `${removed.memoryId} is told no more`);
});

async function idOf(client: StudioClient, given: string): Promise<string> {
  const all = await client.call<Memory[]>('memory.list');
  return named(all, ({ memoryId }) => memoryId, given, 'memory', 'weft memory list').memoryId;
}
