/** Model configuration file: which models agents ask, what they cost, and what may be spent. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { wrongRow } from './models/model-rows.js';
import type { ModelOptions } from './models/models.js';
import { EFFORTS } from './models/provider.js';
import { PROVIDER_KINDS } from './models/providers/make-provider.js';
import { present } from './rules/knowledge/artifacts.js';
import type { AgentsOptions } from './runtime.js';
import { hostsNamed } from './workspace/egress/allowed.js';
import type { RepositoryNetwork } from './workspace/egress/repository-networks.js';
import type { SetUp } from './workspace/set-ups/set-ups.js';
import type { ToolHook } from './workspace/tool-hooks/tool-hooks.js';

const Choice = z.strictObject({
  provider: z.enum(PROVIDER_KINDS),
  model: z.string().min(1).optional(),
  baseUrl: z.string().min(1).optional(),
  /** Name of a key. The key itself is given to the running host and stands in no file. */
  credentialRef: z.string().min(1).optional(),
  lenientToolParsing: z.boolean().optional(),
});
const Price = z.strictObject({
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
  output: z.number().min(0),
});
const Row = z.strictObject({
  context: z.int().min(4096).optional(),
  output: z.int().min(256).optional(),
  effort: z.enum(EFFORTS).optional(),
  thinking: z.union([z.enum(['adaptive', 'none']), z.int().min(1024)]).optional(),
  wire: z.enum(['responses', 'chat']).optional(),
});
const Limits = z
  .strictObject({
    tokens: z.int().min(1).optional(),
    usd: z.number().positive().optional(),
    turns: z.int().min(1).optional(),
    minutes: z.number().positive().optional(),
  })
  .transform(({ tokens, usd, turns, minutes }) => ({
    tokens,
    turns,
    microUsd: usd === undefined ? undefined : Math.floor(usd * 1e6),
    milliseconds: minutes === undefined ? undefined : minutes * 60_000,
  }));
const Key = z.union([
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ command: z.array(z.string().min(1)).min(1) }),
]);
const Program = z.strictObject({
  command: z.array(z.string().min(1)).min(1),
  /** Servers that it reaches, beside that of its model. */
  hosts: z.array(z.string().min(1).max(300)).max(100).optional(),
  /** Whether it runs as the user of the host, with that user's logins, where it only answers. */
  unconfined: z.boolean().optional(),
});
const Programs = z.strictObject({
  'claude-cli': Program.optional(),
  'codex-cli': Program.optional(),
  acp: Program.extend({ keyName: z.string().min(1).optional() }).optional(),
});
const HookSaid = {
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'a name of small letters, digits and hyphens, 40 at most'),
  when: z.enum(['before', 'after']),
  tools: z.array(z.string().min(1).max(200)).min(1).default(['*']),
  profiles: z.array(z.string().min(1)).min(1).optional(),
  repository: z.string().min(1).optional(),
  seconds: z.number().positive().max(600).default(10),
  onFailure: z.enum(['refuse', 'allow']).default('refuse'),
};
const Hook = z.union([
  z.strictObject({ ...HookSaid, program: z.string().min(1), args: z.array(z.string()).default([]) }),
  z.strictObject({ ...HookSaid, url: z.url() }),
]);
const SetUpSaid = z.strictObject({
  repository: z.string().min(1),
  script: z.string().min(1).max(10_000),
  lockfiles: z.array(z.string().min(1).max(1000)).min(1).max(32),
  seconds: z.number().positive().max(3600).default(600),
  online: z.boolean().default(false),
});
const NetworkSaid = z.strictObject({
  repository: z.string().min(1),
  hosts: z.array(z.string().min(1).max(300)).min(1).max(200),
});
const File = z.strictObject({
  model: Choice.optional(),
  profiles: z.record(z.string(), Choice).optional(),
  models: z
    .record(z.string(), Row)
    .superRefine((rows, { addIssue }) => {
      for (const [model, row] of Object.entries(rows)) {
        const message = wrongRow(model, row);
        if (message !== undefined) addIssue({ code: 'custom', path: [model, 'output'], message });
      }
    })
    .optional(),
  prices: z.record(z.string(), Price).optional(),
  /** Sources of keys; a key itself stands in no file of models. */
  keys: z.record(z.string().min(1), Key).optional(),
  budgets: z.strictObject({ goal: Limits.optional(), unit: Limits.optional(), agent: Limits.optional() }).optional(),
  workers: z.record(z.string(), z.int().min(1)).optional(),
  programs: Programs.optional(),
  /** Programs and addresses that are asked before or after calls of agents' tools. */
  hooks: z.array(Hook).max(32).optional(),
  /** Scripts that are run in a folder before agents work there. */
  setUp: z.array(SetUpSaid).max(100).optional(),
  /** Servers that programs of one repository may reach beside those of all. */
  network: z.array(NetworkSaid).max(100).optional(),
  script: z.string().min(1).optional(),
  record: z.string().min(1).optional(),
  replay: z.string().min(1).optional(),
});

export interface ModelFile {
  readonly agents: AgentsOptions;
  readonly models: ModelOptions;
  readonly toolHooks: readonly ToolHook[];
  readonly setUps: readonly SetUp[];
  readonly networks: readonly RepositoryNetwork[];
}

/** Throws when it is not there, or not what docs/guide/agents.md says, and then says where. Files that it names are looked for beside it. */
export async function readModelFile(path: string): Promise<ModelFile> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read (${error.code})`, { cause: error });
  });
  // Without the mark of byte order that editors of Windows put before the text.
  const read = File.safeParse(parse(path, new TextDecoder().decode(bytes)));
  if (!read.success) throw new Error(`${path}: ${read.error.issues.map(wrongField).join('; ')}`);
  const {
    model,
    profiles,
    models: rows,
    prices,
    budgets,
    workers,
    keys = {},
    programs = {},
    hooks = [],
    setUp = [],
    network = [],
    ...files
  } = read.data;
  const beside = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : resolve(dirname(path), name);
  const [script, record, replay] = [files.script, files.record, files.replay].map(beside);
  return {
    toolHooks: hooks.map((hook) => hookOf(hook, dirname(path))),
    setUps: setUp.map(({ repository, online: isOnline, ...said }) => ({
      ...said,
      isOnline,
      repository: resolve(dirname(path), repository),
    })),
    networks: network.map((one) => networkOf(one, path)),
    agents: present({ usual: model, usualOf: profiles, rows, prices, budgets, workersOf: workers }),
    models: present({
      keys: Object.fromEntries(
        Object.entries(keys).map(([name, source]) => [
          name,
          'file' in source ? { file: resolve(dirname(path), source.file) } : source,
        ]),
      ),
      commands: commandsOf(programs),
      hosts: programHostsOf(programs, path),
      unconfined: unconfinedOf(programs),
      keyName: programs.acp?.keyName,
      script,
      record,
      replay,
    }),
  };
}

function networkOf({ repository, hosts }: z.infer<typeof NetworkSaid>, path: string): RepositoryNetwork {
  areServers(hosts, `${path}: network`);
  return { hosts, repository: resolve(dirname(path), repository) };
}

/** Throws where one of these names is no server, and then says where it stands. */
function areServers(names: readonly string[], where: string): void {
  try {
    hostsNamed(names);
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function unconfinedOf(programs: z.infer<typeof Programs>): readonly string[] | undefined {
  const named = Object.entries(programs).flatMap(([kind, program]) => (program?.unconfined === true ? [kind] : []));
  return named.length === 0 ? undefined : named;
}

function programHostsOf(programs: z.infer<typeof Programs>, path: string): Record<string, readonly string[]> {
  const named: Record<string, readonly string[]> = {};
  for (const [kind, program] of Object.entries(programs)) {
    if (program?.hosts === undefined) continue;
    areServers(program.hosts, `${path}: programs.${kind}`);
    named[kind] = program.hosts;
  }
  return named;
}

/** Hook with full paths: what it names is looked for beside the file. */
function hookOf({ repository, profiles, ...said }: z.infer<typeof Hook>, folder: string): ToolHook {
  const { name, when, tools, seconds, onFailure } = said;
  const asks = 'url' in said ? { url: said.url } : { program: resolve(folder, said.program), args: said.args };
  return {
    name,
    when,
    tools,
    seconds,
    onFailure,
    asks,
    ...present({ profiles, repository: repository === undefined ? undefined : resolve(folder, repository) }),
  };
}

function wrongField({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}: it is no JSON`, { cause: error });
  }
}

function commandsOf(programs: z.infer<typeof Programs>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(programs).flatMap(([kind, program]) => (program ? [[kind, program.command] as const] : [])),
  );
}
