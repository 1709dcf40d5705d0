/** `weft tools …`: servers of tools that people add for agents. */
import { table } from '../../output/show.js';
import { registeredAt } from '../../people/repository.js';
import { StudioClient } from '../../studio/studio-client.js';
import { connectionFlags } from '../../studio/studio-connection.js';
import { UsageError, cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

interface Server {
  readonly name: string;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly hasKeys: boolean;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly isAllowed: boolean }[];
}

export const addTools = cliCommand({
  operands: ['name'],
  flags: {
    command: {
      summary: 'Program that is started here, with its arguments: words with spaces between them, or a JSON array.',
      value: 'words',
    },
    url: { summary: 'Address of a server over streamable http.', value: 'url' },
    allow: { summary: 'Tools that agents are offered, with commas between them; none without.', value: 'a,b' },
    repo: { summary: 'Folder of the repository that it is for; all without.', value: 'folder' },
    profiles: {
      summary: 'Agent profiles that it is for; without, those that change files.',
      value: 'a,b',
    },
    online: { summary: 'Let the program have the network.' },
    keys: {
      summary: 'Keys that the program is given, by their names here; it then sees no file of the work.',
      value: 'VARIABLE=name,…',
    },
    'key-name': { summary: 'Name of the key that is sent to the address as a bearer token.', value: 'name' },
    seconds: { summary: 'How long a call may take.', value: 'number', initially: '60' },
    ...connectionFlags,
    json: jsonFlag,
  },
}).run(async ({ json, ...given }, terminal, [name]) => {
  const { command, url, allow, repo, profiles, online, keys, 'key-name': credentialRef, seconds, ...reach } = given;
  const client = new StudioClient(reach, terminal);
  const wish = {
    name,
    allowed: listIn(allow),
    online,
    ...(command === undefined ? {} : { command: wordsIn(command) }),
    ...(url === undefined ? {} : { url }),
    ...(repo === undefined ? {} : { repositoryId: (await registeredAt(client, repo)).repositoryId }),
    ...(profiles === undefined ? {} : { profiles: listIn(profiles) }),
    ...(keys === undefined ? {} : { keys: keysIn(keys) }),
    ...(credentialRef === undefined ? {} : { credentialRef }),
    ...(seconds === undefined ? {} : { seconds: secondsIn(seconds) }),
  };
  const added = await client.call<Server>('tool-server.add', wish);
  if (json) return terminal.out(JSON.stringify(added));
  const rows = added.tools.map((tool) => [tool.name, tool.isAllowed ? 'yes' : 'no', firstLine(tool.description)]);
  for (const line of table(['tool', 'allowed', 'what it says of it'], rows, terminal)) terminal.out(line);
  if (!added.tools.some(({ isAllowed }) => isAllowed))
    terminal.err(`weft: agents are offered none of them yet: add it again, with --allow and the names of some`);
});

export const listTools = cliCommand({
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal) => {
  const servers = await new StudioClient(given, terminal).call<Server[]>('tool-server.list');
  if (json) return terminal.out(JSON.stringify(servers));
  if (servers.length === 0) return terminal.out('agents have no tools of others; weft tools add gives them some');
  const rows = servers.map(({ name, command, url, hasKeys, tools }) => [
    name,
    url ?? command?.join(' ') ?? '',
    hasKeys ? 'there' : 'missing',
    tools.flatMap((tool) => (tool.isAllowed ? tool.name : [])).join(', '),
  ]);
  for (const line of table(['server', 'what', 'keys', 'allowed'], rows, terminal)) terminal.out(line);
});

export const removeTools = cliCommand({
  operands: ['name'],
  flags: { ...connectionFlags, json: jsonFlag },
}).run(async ({ json, ...given }, terminal, [name]) => {
  const gone = await new StudioClient(given, terminal).call<object>('tool-server.remove', { name });
  terminal.out(json ? JSON.stringify(gone) : `agents are no longer offered the tools of ${name}`);
});

function listIn(text = ''): string[] {
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : part.trim()));
}

function wordsIn(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return text.trim().split(/\s+/);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new UsageError(`--command takes words, or a JSON array of them, not ${text}`, { cause });
  }
}

function keysIn(text: string): Record<string, string> {
  const pairs = listIn(text).map((part) => {
    const [, variable, name] = /^([^=]+)=(.+)$/.exec(part) ?? [];
    if (variable === undefined || name === undefined)
      throw new UsageError(`--keys takes VARIABLE=name, with the name of a key of weft key set, not ${part}`);
    return [variable, name] as const;
  });
  return Object.fromEntries(pairs);
}

function secondsIn(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new UsageError(`--seconds takes a number, not ${text}`);
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
