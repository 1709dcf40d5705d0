/** Flags and variables of a studio that is started, and the options that follow from them. */
import { isAbsolute } from 'node:path';
import type { ModelFile } from '@weft/studio';
import { KEY_VARIABLES } from '../studio/vendor-keys.js';
import { type FlagValues, type Terminal, UsageError } from '../syntax/define.js';

export const studioListenFlag = {
  summary: 'Address of the studio; port 0 takes a free one.',
  value: 'host:port',
  variable: 'WEFT_STUDIO_LISTEN',
  default: '127.0.0.1:7880',
} as const;

export const studioFlags = {
  'webhook-hosts': {
    summary: 'Hosts that webhooks may name, over https, with commas between them; only this machine without.',
    value: 'a,b',
    variable: 'WEFT_WEBHOOK_HOSTS',
  },
  'tool-hosts': {
    summary:
      'Hosts at which servers of tools for agents may be, over https, with commas between them; only this machine without.',
    value: 'a,b',
    variable: 'WEFT_TOOL_HOSTS',
  },
  roots: {
    summary:
      'Folders below which repositories may be registered, made and cloned, with commas between them; your home and the ' +
      'folder that you are in without.',
    value: 'a,b',
    variable: 'WEFT_ROOTS',
  },
  remotes: {
    summary:
      'Protocols by which repositories elsewhere are reached, of https, ssh, http and git, with commas between them; or none.',
    value: 'a,b',
    variable: 'WEFT_REMOTES',
    default: 'https,ssh',
  },
  sandbox: {
    summary:
      'Network of the programs of agents, which are confined: `packages` are the registries that your own settings name (npm, pip, cargo, ' +
      'go, NuGet, Maven, Gradle) and --sandbox-hosts, `offline` is none, `network` is that of this machine.',
    value: 'packages|offline|network',
    variable: 'WEFT_SANDBOX',
    default: 'packages',
    choices: ['packages', 'offline', 'network'],
  },
  'sandbox-hosts': {
    summary:
      'Servers that confined programs may also reach, over https, with commas between them: host, host:port, *.host, http://host:port, or ' +
      '`public` for the public registries of packages.',
    value: 'a,b',
    variable: 'WEFT_SANDBOX_HOSTS',
  },
  unconfined: {
    variable: 'WEFT_UNCONFINED',
    summary:
      'Let programs of agents run as you, where this machine cannot confine them (it is remembered), or this once where it can.',
  },
  folder: {
    summary:
      'Folder of a studio whose record is in a database: its repositories, branches and tokens. With one in a folder, that is it.',
    value: 'folder',
    variable: 'WEFT_STUDIO_FOLDER',
  },
  standby: {
    variable: 'WEFT_STANDBY',
    summary: 'Wait while another process has the database, and take its place when that has ended.',
  },
  agents: { summary: 'Whether agents work on goals.', value: 'on|off', default: 'on', choices: ['on', 'off'] },
  model: {
    summary:
      'Model where nobody has chosen one: provider/name, such as anthropic/claude-opus-5-5. Its key: weft key set, or a variable such as ANTHROPIC_API_KEY.',
    value: 'provider/name',
  },
  'model-url': {
    summary:
      "Address of that model, where it is not its provider's own. It is given no key; one for it is named in --models.",
    value: 'url',
    variable: 'WEFT_MODEL_URL',
  },
  models: {
    summary:
      'JSON file about models: which profile asks which, prices, budgets, programs, recordings (docs/guide/agents.md).',
    value: 'file',
    variable: 'WEFT_MODELS',
  },
  'goal-tokens': { summary: 'Tokens that one goal may cost; then it waits for a person.', value: 'number' },
} as const;

/**
 * Variables named `WEFT_…` that the room server does not read: those of these flags, and those that other parts read.
 */
export const studioVariables: ReadonlySet<string> = new Set([
  ...[studioListenFlag, ...Object.values(studioFlags)].flatMap((flag) => ('variable' in flag ? [flag.variable] : [])),
  'WEFT_TOKEN',
  'WEFT_RUN', // the mark of a program that a studio runs, which may be this one
]);

type OfModels = Pick<ModelFile, 'models'> & Partial<Pick<ModelFile, 'agents' | 'toolHooks' | 'setUps' | 'networks'>>;

export interface StudioWanted extends OfModels {
  readonly webhookHosts: readonly string[];
  /** Hosts at which servers of tools may be. */
  readonly toolHosts: readonly string[];
  /** Folders below which callers may name one; undefined takes the studio's own choice. */
  readonly roots: readonly string[] | undefined;
  /** Protocols by which repositories elsewhere are reached. */
  readonly cloneProtocols: readonly string[];
  /** Folder beside a database. */
  readonly folder: string | undefined;
  /** Confinement of the programs of workspaces. */
  readonly confinement: { readonly unconfined: boolean; readonly network: 'off' | 'listed' | 'on' };
  /** Servers that confined programs may reach. */
  readonly sandboxHosts: readonly string[];
  /** Keys of models by their names. */
  readonly keys: Readonly<Record<string, string>>;
}

export async function studioOf(
  flags: FlagValues<typeof studioFlags>,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<StudioWanted> {
  const {
    sandbox,
    unconfined = false,
    roots,
    remotes,
    'webhook-hosts': hosts = '',
    'tool-hosts': toolHosts = '',
    'sandbox-hosts': sandboxHosts = '',
  } = flags;
  return {
    ...(await modelsOf(flags)),
    webhookHosts: hosts.split(',').filter((name) => name !== ''),
    toolHosts: toolHosts.split(',').filter((name) => name !== ''),
    roots: roots === undefined ? undefined : rootsIn(roots),
    cloneProtocols: protocolsIn(remotes),
    sandboxHosts: await hostsIn(sandboxHosts),
    folder: flags.folder,
    confinement: {
      unconfined: /^(true|yes|1)$/.test(String(unconfined)),
      network: networkIn(sandbox),
    },
    keys: keysIn(environment),
  };
}

function keysIn(environment: Terminal['environment']): Record<string, string> {
  const found = Object.entries(KEY_VARIABLES).map(([name, variable]) => [name, environment[variable]?.trim()] as const);
  return Object.fromEntries(found.flatMap(([name, key]) => (key === undefined || key === '' ? [] : [[name, key]])));
}

/** What to do about a key that the studio was started without. */
export function keyAdvice(name: string): string {
  const variable = KEY_VARIABLES[name];
  const give = `weft key set ${name} gives it to the running studio`;
  return variable === undefined ? give : `${give}, or set ${variable} before the start`;
}

/** Models and budgets: a flag counts before the file of models. */
async function modelsOf(flags: FlagValues<typeof studioFlags>): Promise<OfModels> {
  const { model, 'model-url': baseUrl, 'goal-tokens': tokens } = flags;
  const { agents, models, toolHooks, setUps, networks } =
    flags.models === undefined
      ? { agents: {}, models: {}, toolHooks: [], setUps: [], networks: [] }
      : await fileOf(flags.models);
  if (flags.agents === 'off') return { models, networks };
  const { budgets = {} } = agents;
  return {
    models,
    toolHooks,
    setUps,
    networks,
    agents: {
      ...agents,
      ...(model === undefined
        ? {}
        : { usual: { ...(await modelOf(model)), ...(baseUrl === undefined ? {} : { baseUrl }) } }),
      ...(tokens === undefined ? {} : { budgets: { ...budgets, goal: { ...budgets.goal, tokens: countOf(tokens) } } }),
    },
  };
}

function rootsIn(text: string): string[] {
  const roots = text.split(',').filter((path) => path !== '');
  const relative = roots.find((path) => !isAbsolute(path));
  if (relative === undefined) return roots;
  throw new UsageError(`--roots takes full paths, not ${relative}`);
}

/** Network of programs by the word of the flag. */
function networkIn(word: string): StudioWanted['confinement']['network'] {
  if (word === 'network') return 'on';
  return word === 'offline' ? 'off' : 'listed';
}

async function hostsIn(text: string): Promise<string[]> {
  const named = text.split(',').filter((name) => name !== '');
  if (named.length === 0) return named;
  const { hostsNamed } = await import('@weft/studio');
  try {
    hostsNamed(named);
  } catch (error) {
    throw new UsageError(`--sandbox-hosts: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  return named;
}

const PROTOCOLS = ['https', 'ssh', 'http', 'git'];

function protocolsIn(text: string): string[] {
  if (text === 'none') return [];
  const named = text.split(',').filter((name) => name !== '');
  const unknown = named.find((name) => !PROTOCOLS.includes(name));
  if (unknown === undefined) return named;
  throw new UsageError(`--remotes takes ${PROTOCOLS.join(', ')} or none, not ${unknown}`);
}

async function fileOf(path: string): Promise<ModelFile> {
  const { readModelFile } = await import('@weft/studio');
  try {
    return await readModelFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--models: ${why}; docs/guide/agents.md shows such a file`, { cause: error });
  }
}

async function modelOf(text: string): Promise<{ readonly provider: string; readonly model?: string }> {
  const { PROVIDER_KINDS } = await import('@weft/studio');
  const at = text.indexOf('/');
  const [provider, model] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (!PROVIDER_KINDS.some((kind) => kind === provider))
    throw new UsageError(
      `--model takes provider/name, with one of ${PROVIDER_KINDS.join(', ')} as provider, not ${text}`,
    );
  return { provider, ...(model === '' ? {} : { model }) };
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--goal-tokens takes a number, not ${text}`);
}
