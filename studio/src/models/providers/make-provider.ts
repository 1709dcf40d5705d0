/** Provider factory: kind, address and key come from settings. Keys stay where they are held, and are looked up at each call. */
import type { Clock } from '../../clock.js';
import type { ModelChoice } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import type { NodeProcesses } from '../../workspace/programs/node-processes.js';
import type { Provider } from '../provider.js';
import { ProviderError } from '../provider.js';
import type { Executor } from '../executor.js';
import { acp } from './programs/acp.js';
import { anthropic } from './vendors/anthropic.js';
import { claudeCli, codexCli } from './programs/command-line.js';
import { type AgentSaid, acpAgent } from './programs/executors/acp-agent.js';
import { claudeCode } from './programs/executors/claude-code.js';
import { codexExec } from './programs/executors/codex.js';
import { openai } from './vendors/openai.js';
import { reAsk } from './replies/re-ask.js';
import { type Script, readScript } from './scripted/script.js';
import { scripted } from './scripted/scripted.js';
import { withRetries } from './replies/with-retries.js';

export interface ProviderSettings {
  readonly kind: string;
  readonly baseUrl?: string | undefined;
  /** Command line of a program. */
  readonly command?: readonly string[] | undefined;
  /** Servers that a program reaches, beside those of its model. */
  readonly hosts?: readonly string[] | undefined;
  /** Environment variable in which an agent looks for its key. */
  readonly keyName?: string | undefined;
  readonly credentialRef?: string | undefined;
  /** Whether malformed tool calls are repaired. */
  readonly isLenient?: boolean | undefined;
  /** Script file of a scripted provider. */
  readonly script?: string | undefined;
}

export interface ProviderParts {
  readonly keyOf: (credentialRef: string) => Promise<string | undefined>;
  readonly processes: NodeProcesses;
  /** Working folder of programs, with no instructions to follow. */
  readonly folder: string;
  readonly readFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  readonly random: () => number;
}

export const PROVIDER_KINDS = [
  'anthropic',
  'openai',
  'vscode-lm',
  'claude-cli',
  'codex-cli',
  'acp',
  'scripted',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Kinds that run as programs of this machine. */
export const PROGRAM_KINDS: ReadonlySet<string> = new Set<ProviderKind>(['claude-cli', 'codex-cli', 'acp']);
/** Kinds that need a key, unless they are reached at another address. */
export const KEYED_KINDS: ReadonlySet<string> = new Set<ProviderKind>(['anthropic', 'openai']);

export function isProviderKind(kind: string): kind is ProviderKind {
  return PROVIDER_KINDS.some((known) => known === kind);
}

export async function makeProvider(settings: ProviderSettings, parts: ProviderParts): Promise<Provider> {
  const { kind } = settings;
  if (!isProviderKind(kind))
    throw new ProviderError(
      'refused',
      `no provider is called ${JSON.stringify(kind)}; there are ${PROVIDER_KINDS.join(', ')}`,
    );
  const { clock, random } = parts;
  const provider = reAsk(withRetries(await bare(kind, settings, parts), { clock, random }));
  if (settings.isLenient !== true) return provider;
  return { ...provider, turn: (request, options) => provider.turn({ ...request, isLenient: true }, options) };
}

async function bare(kind: ProviderKind, settings: ProviderSettings, parts: ProviderParts): Promise<Provider> {
  const { baseUrl, command, hosts, keyName, script } = settings;
  const { processes, folder } = parts;
  const key = () => heldKey(settings, parts);
  const now = () => parts.clock.now();
  switch (kind) {
    case 'anthropic':
      return anthropic({ key, baseUrl, now });
    case 'openai':
      return openai({ key, baseUrl, now });
    case 'vscode-lm':
      if (baseUrl === undefined)
        throw new ProviderError('refused', 'vscode-lm is reached at the address that the editor tells');
      return openai({ key, baseUrl, now });
    case 'claude-cli':
      return claudeCli({ key, baseUrl, command, hosts, processes, folder });
    case 'codex-cli':
      return codexCli({ key, baseUrl, command, hosts, processes, folder });
    case 'acp':
      if (command === undefined)
        throw new ProviderError(
          'refused',
          'acp needs the command of an agent: name it under "programs" of the host\'s file of models',
        );
      return acp({ key, keyName, command, hosts, processes, folder });
    case 'scripted':
      if (script === undefined)
        throw new ProviderError(
          'refused',
          'scripted needs something to play: name it as "script" in the host\'s file of models',
        );
      return scripted(await scriptIn(script, parts));
  }
}

/** Executor of a kind; undefined for kinds that only answer. */
export function makeExecutor(
  settings: ProviderSettings,
  parts: ProviderParts & { readonly said: AgentSaid },
): Executor | undefined {
  const { kind, baseUrl, command, keyName, hosts } = settings;
  const { processes, said } = parts;
  const key = () => heldKey(settings, parts);
  switch (kind) {
    case 'claude-cli':
      return claudeCode({ key, baseUrl, command, hosts, processes });
    case 'codex-cli':
      return codexExec({ key, baseUrl, command, hosts, processes });
    case 'acp':
      // Its provider, which is made first, refuses where no command is named.
      return command && acpAgent({ key, keyName, command, hosts, processes, said });
    default:
      return undefined;
  }
}

async function scriptIn(path: string, { readFile }: ProviderParts): Promise<Script> {
  try {
    return readScript(await readFile(path));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProviderError('refused', `the script ${path} cannot be played: ${why}`);
  }
}

/** Name of the key: the one given, or else, for a vendor that needs one, the vendor's name. */
export function keyNameOf({ provider, baseUrl, credentialRef }: ModelChoice): string | undefined {
  return credentialRef ?? (baseUrl === undefined && KEYED_KINDS.has(provider ?? '') ? provider : undefined);
}

async function heldKey(
  { kind, baseUrl, credentialRef }: ProviderSettings,
  { keyOf }: ProviderParts,
): Promise<string | undefined> {
  const key = credentialRef === undefined ? undefined : await keyOf(credentialRef);
  const isNeeded = credentialRef !== undefined || (KEYED_KINDS.has(kind) && baseUrl === undefined);
  if (key === undefined && isNeeded)
    throw new ProviderError(
      'unauthorized',
      credentialRef === undefined
        ? `${kind} needs a key: give it as apiKey, name one that this host holds with credentialRef, or name its source under "keys" of the host's file of models`
        : `the key ${JSON.stringify(credentialRef)} is not held: give it as apiKey, under this credentialRef, where work is resumed or retried, or name its source under "keys" of the host's file of models`,
    );
  return key;
}
