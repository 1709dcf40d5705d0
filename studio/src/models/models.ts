/** Model gateway of this host: providers made from callers' choices, with keys that are held in memory. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials, OfferedKey } from './credentials.js';
import type { KeySource } from './key-sources.js';
import type { Clock } from '../clock.js';
import { refusal } from '../reasons.js';
import type { FileVersions } from '../workspace/git/merges/file-versions.js';
import { NodeProcesses } from '../workspace/programs/node-processes.js';
import { llmMerge } from './llm-merge.js';
import { llmScan, type Scan } from './llm-scan.js';
import type { Provider } from './provider.js';
import { ProviderError } from './provider.js';
import { RecordingFile, recording } from './providers/scripted/recorder.js';
import { replaying } from './providers/scripted/replaying.js';
import { readScript } from './providers/scripted/script.js';
import {
  isProviderKind,
  KEYED_KINDS,
  makeExecutor,
  makeProvider,
  PROGRAM_KINDS,
  PROVIDER_KINDS,
  type ProviderParts,
  type ProviderSettings,
} from './providers/make-provider.js';
import type { Egress } from '../workspace/egress/egress.js';
import type { GroupParent } from '../workspace/sandbox/control-groups.js';
import type { Confinement } from '../workspace/sandbox/confinement.js';
import { type Abilities, type Executor, NO_ABILITIES } from './executor.js';
import type { AgentSaid } from './providers/programs/executors/acp-agent.js';

/** Host settings, never set by callers: a command is code, and a path names a file of the host. */
export interface ModelOptions {
  /** Sources of keys by their name. */
  readonly keys?: Readonly<Record<string, KeySource>>;
  /** Command lines of `claude-cli`, `codex-cli` and `acp`. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Servers that these reach, beside those of their models. */
  readonly hosts?: Readonly<Record<string, readonly string[]>>;
  /** Those that only answer and run as the user of the host, with that user's logins: a person has said so. */
  readonly unconfined?: readonly string[];
  /** Environment variable in which `acp` looks for its key. */
  readonly keyName?: string;
  /** Script file of `scripted`. */
  readonly script?: string;
  /** Recording file, to which every turn of every model is appended. */
  readonly record?: string;
  /** Recording that is replayed in place of every model: none is called. */
  readonly replay?: string;
}

export interface ModelsParts {
  readonly credentials: Credentials;
  /** Folder in which programs run, and are noted. */
  readonly folder: string;
  /** Confinement of programs. Default: none. */
  readonly confinement?: Confinement;
  readonly egress?: Egress;
  readonly groups?: readonly GroupParent[];
  readonly clock: Clock;
  readonly random: () => number;
}

/** Model port of operations. It rejects with refusals only. */
export interface AskModels {
  /** Scans for findings; of a program the answer also has its output. */
  scan(choice: OfferedKey, material: string): Promise<Scan & { readonly isProgram: boolean }>;
  /** Merged text; undefined when the model sees no way. */
  merge(choice: OfferedKey, versions: FileVersions): Promise<string | undefined>;
  /** Abilities of the executor of a provider, as this host would run it. */
  abilities(provider: string): Abilities;
}

const LONGEST_CALL_MS = 600_000;

interface Files {
  readonly recording: RecordingFile | undefined;
  readonly replay: ((name: string) => Provider) | undefined;
}

export class Models implements AskModels {
  readonly #options: ModelOptions;
  readonly #parts: ModelsParts;
  readonly #closing = new AbortController();
  /** Programs that only answer. */
  readonly #answering: NodeProcesses;
  /** Those of them that a person lets run as the user of the host. */
  readonly #unconfined: NodeProcesses;
  readonly #executing: NodeProcesses;
  /** What the agent over ACP has said of itself. */
  readonly #said: AgentSaid = {};
  readonly #recording: RecordingFile | undefined;
  readonly #replay: ((name: string) => Provider) | undefined;

  private constructor(options: ModelOptions, parts: ModelsParts, files: Files) {
    this.#options = options;
    this.#parts = parts;
    this.#recording = files.recording;
    this.#replay = files.replay;
    const { confinement, egress, groups } = parts;
    const confined = { ...(confinement && { confinement }), ...(groups && { groups }), egress };
    // No grace period: a model has nothing to clean up.
    this.#unconfined = new NodeProcesses(parts.folder, { graceMs: 0 });
    this.#answering = new NodeProcesses(join(parts.folder, 'answering'), { ...confined, graceMs: 0 });
    this.#executing = new NodeProcesses(join(parts.folder, 'executors'), confined);
  }

  /** Opens the gateway, after ending programs that an earlier host left running. */
  static async open(options: ModelOptions, parts: ModelsParts): Promise<Models> {
    const { record, replay } = options;
    const models = new Models(options, parts, {
      replay: replay === undefined ? undefined : replaying(readScript(await readFile(replay, 'utf8'))),
      recording: record === undefined ? undefined : await RecordingFile.open(record),
    });
    await models.#unconfined.recover();
    await models.#answering.recover();
    await models.#executing.recover();
    return models;
  }

  async provider(choice: OfferedKey): Promise<Provider> {
    const { provider: kind = '' } = choice;
    const provider = this.#replay?.(kind) ?? (await this.#made(kind, choice));
    const recorded = this.#recording;
    return recorded ? recording(provider, (line) => recorded.write(line)) : provider;
  }

  /** Executor of a choice; undefined where its kind only answers, or a recording answers for all. */
  executor(choice: OfferedKey): Executor | undefined {
    if (this.#replay) return undefined;
    const { settings, parts } = this.#madeOf(choice.provider ?? '', choice);
    return makeExecutor(settings, { ...parts, processes: this.#executing, said: this.#said });
  }

  abilities(provider: string): Abilities {
    return this.executor({ provider })?.abilities ?? NO_ABILITIES;
  }

  async #made(kind: string, choice: OfferedKey): Promise<Provider> {
    const { settings, parts } = this.#madeOf(kind, choice);
    if (PROGRAM_KINDS.has(kind)) await mkdir(parts.folder, { recursive: true, mode: 0o700 });
    return makeProvider(settings, parts);
  }

  #madeOf(kind: string, choice: OfferedKey): { settings: ProviderSettings; parts: ProviderParts } {
    const { baseUrl, credentialRef, apiKey, lenientToolParsing: isLenient } = choice;
    const { credentials, clock, random } = this.#parts;
    const { commands = {}, hosts = {}, unconfined = [], keyName, script } = this.#options;
    const settings = {
      kind,
      baseUrl,
      script,
      isLenient,
      command: commands[kind],
      hosts: hosts[kind],
      keyName,
      credentialRef: credentialRef ?? (apiKey === undefined ? undefined : 'given'),
    };
    const parts = {
      keyOf: async (name: string) => apiKey ?? (await credentials.keyOf(name)),
      processes: unconfined.includes(kind) ? this.#unconfined : this.#answering,
      folder: join(this.#parts.folder, 'work'),
      clock,
      random,
      readFile: (path: string) => readFile(path, 'utf8'),
    };
    return { settings, parts };
  }

  async scan(choice: OfferedKey, material: string): ReturnType<AskModels['scan']> {
    const found = await this.#ask(choice, (provider, model, signal) => llmScan(provider, model, material, signal));
    return { ...found, isProgram: PROGRAM_KINDS.has(choice.provider ?? '') };
  }

  merge(choice: OfferedKey, versions: FileVersions): Promise<string | undefined> {
    return this.#ask(choice, (provider, model, signal) => llmMerge(provider, model, versions, signal));
  }

  /** Aborts every call. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#unconfined, this.#answering, this.#executing].map((one) => one.close()));
  }

  /** Closes files and programs, once nobody asks any more. */
  async close(): Promise<void> {
    await this.stop();
    await this.#recording?.close();
  }

  async #ask<T>(
    choice: OfferedKey,
    ask: (provider: Provider, model: string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { provider: kind = '', model = '' } = choice;
    if (!isProviderKind(kind)) throw invalid('provider', `must be one of ${PROVIDER_KINDS.join(', ')}`);
    if (model === '' && KEYED_KINDS.has(kind)) throw invalid('model', 'is needed');
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(LONGEST_CALL_MS)]);
    try {
      return await ask(await this.provider(choice), model, signal);
    } catch (error) {
      throw error instanceof ProviderError ? refused(error) : error;
    }
  }
}

function refused({ fault, message, passing, retryAfterMs }: ProviderError): Error {
  const details = { fault, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return refusal(
    passing || fault === 'stopped' ? 'reject.model_unavailable' : 'reject.model_refused',
    message,
    details,
  );
}

function invalid(field: string, message: string): Error {
  return refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}
