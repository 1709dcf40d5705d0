/** Tool servers: tools of others, over the Model Context Protocol, that people add for agents. */
import { z } from 'zod';
import { type ToolServer as Stored, toolServer } from '../../record/aggregates/tool-server/tool-server.js';
import { profileOf } from '../../record/views/by-id.js';
import { repositoryOr } from '../../rules/branches/stored-branch.js';
import { offeredName, reachOf, withName, withoutSecrets } from '../../rules/runs/server-tools.js';
import { refusal } from '../../reasons.js';
import type { ServedTool } from '../../workspace/tool-servers/tool-servers.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ENDS, READS, SETS } from '../kernel/hints.js';
import { ServerName, ToolServer, serverFields } from './tool-server-shape.js';

/** Names of tools that vendors of models take. */
const OFFERABLE = /^[a-zA-Z0-9_-]{1,64}$/;
/** Time limit of a first look, in which a program may bring its packages. */
const LOOK_MS = 60_000;

export const add = operation({
  summary:
    'Add a server of tools for agents, or look at one anew. Its tools are listed and kept as they are now; agents are offered those of ' +
    'the allow-list, under its name.',
  scope: 'admin',
  in: z.object({ name: ServerName, ...serverFields }),
  out: ToolServer,
  rest: { route: 'PUT /studio/tool-servers/{name}' },
  tool: 'tool_server_add',
  human: true,
  refuses: [
    'reject.tool_server_address',
    'reject.tool_server_key',
    'reject.tool_server_unreachable',
    'reject.tool_server_slow',
    'reject.tool_server_answer',
    'reject.not_confined',
    'reject.program_not_started',
    'reject.repository_not_found',
    'reject.profile_not_found',
  ],
  annotations: { ...SETS, openWorld: true },
}).run(async (context, { name, online: isOnline, ...given }) => {
  const { records, programs, credentials } = context;
  const { command, url, keys, credentialRef, repositoryId, profiles = [], allowed } = given;
  requireOneWay({ ...given, isOnline });
  if (repositoryId !== undefined) repositoryOr(records, repositoryId);
  for (const profileId of profiles) profileOf(records, profileId);
  const keyOf = (ref: string): Promise<string | undefined> => credentials.keyOf(ref);
  const { reach, secrets } = await reachOf({ keyOf }, { command, url, isOnline, keys, credentialRef });
  const listed = await programs.servers.list(reach, LOOK_MS).catch((error: unknown) => {
    throw withName(name, error, secrets);
  });
  requireListed(name, listed, allowed);
  const tools = listed.map(({ name: tool, description, inputSchema, digest }) => ({
    name: tool,
    description: withoutSecrets(description, secrets),
    inputJson: withoutSecrets(JSON.stringify(inputSchema), secrets),
    digest,
  }));
  return context.answer((change) =>
    shown(context, change.run(toolServer, name, 'add', { name, settings: { ...given, isOnline, tools } })),
  );
});

export const list = operation({
  summary: 'List the servers of tools that people have added for agents, with what they listed then.',
  scope: 'read',
  in: z.object({}),
  out: z.array(ToolServer),
  rest: { route: 'GET /studio/tool-servers' },
  tool: 'tool_server_list',
  list: 'name',
  refuses: [],
  annotations: READS,
}).run((context) => context.records.toolServers.all().map((found) => shown(context, found)));

export const remove = operation({
  summary: 'Take a server of tools away from agents.',
  scope: 'admin',
  in: z.object({ name: ServerName }),
  out: z.object({ name: ServerName }),
  rest: { route: 'DELETE /studio/tool-servers/{name}' },
  tool: 'tool_server_remove',
  human: true,
  refuses: ['reject.tool_server_not_found'],
  annotations: ENDS,
}).run((context, { name }) =>
  context.answer((change) => {
    change.end(toolServer, name, 'remove', { name });
    return { name };
  }),
);

/** A server is a program or an address, and what is said of the other kind would have no effect. */
function requireOneWay({
  command,
  url,
  keys,
  credentialRef,
  isOnline,
}: Pick<Stored, 'command' | 'url' | 'keys' | 'credentialRef' | 'isOnline'>): void {
  if ((command === undefined) === (url === undefined)) throw wrong('command', 'give command or url, one of them');
  if (command && credentialRef !== undefined)
    throw wrong('credentialRef', 'is for an address: name keys for a program');
  if (url !== undefined && Object.keys(keys).length > 0)
    throw wrong('keys', 'are for a program: name credentialRef for an address');
  if (url !== undefined && isOnline) throw wrong('online', 'is for a program: an address is reached anyhow');
}

function requireListed(server: string, tools: readonly ServedTool[], allowed: readonly string[]): void {
  const names = tools.map(({ name }) => name);
  const missing = allowed.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw wrong('allowed', `${server} lists no tool ${missing}; it lists ${names.join(', ').slice(0, 2000) || 'none'}`);
  const odd = allowed.find((name) => !OFFERABLE.test(offeredName(server, name)));
  if (odd !== undefined)
    throw wrong(
      'allowed',
      `models take names of 64 letters, digits, _ and - at most, which ${offeredName(server, odd)} is not`,
    );
  if (new Set(names).size < names.length) throw refusal('reject.tool_server_answer', `${server} lists a tool twice`);
}

function wrong(field: string, message: string): Error {
  return refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}

function shown({ credentials }: Pick<Context, 'credentials'>, stored: Stored): z.input<typeof ToolServer> {
  const { isOnline, tools, allowed, ...said } = stored;
  const { keys, credentialRef } = said;
  const named = [...Object.values(keys), ...(credentialRef === undefined ? [] : [credentialRef])];
  return {
    ...said,
    online: isOnline,
    hasKeys: named.every((ref) => credentials.has(ref)),
    tools: tools.map(({ name, description, inputJson }) => ({
      name,
      description,
      inputSchema: JSON.parse(inputJson) as Record<string, unknown>,
      isAllowed: allowed.includes(name),
      offeredAs: offeredName(stored.name, name),
    })),
  };
}
