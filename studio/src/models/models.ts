/** The models that this host reaches: providers from what callers chose, with keys that are held in memory. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials, OfferedKey } from './credentials.js';
import type { Clock } from '../clock.js';
import { refusal } from '../reasons.js';
import type { FileVersions } from '../workspace/git/file-versions.js';
import { NodeProcesses } from '../workspace/programs/node-processes.js';
import { llmMerge } from './llm-merge.js';
import { llmScan, type Scan } from './llm-scan.js';
import type { Provider } from './provider.js';
import { ProviderError } from './provider.js';
import { RecordingFile, recording } from './providers/recorder.js';
import { replaying } from './providers/replaying.js';
import { readScript } from './providers/script.js';
import { isProviderKind, makeProvider, PROGRAM_KINDS, PROVIDER_KINDS } from './providers/make-provider.js';

/** What is set on the host, and by no caller: a command is code, and a file is a file of the host's. */
export interface ModelOptions {
  /** What runs, and its first arguments, for `claude-cli`, `codex-cli` and `acp`. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Where `acp` looks for its key: a variable of its environment. */
  readonly keyName?: string;
  /** The file that `scripted` plays. */
  readonly script?: string;
  /** A file to which every turn of every model is added. */
  readonly record?: string;
  /** Such a file, which answers in place of every model: none is called. */
  readonly replay?: string;
}

export interface ModelsParts {
  readonly credentials: Credentials;
  /** Where programs run, and are noted. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: () => number;
}

/** What operations ask of models. All of it rejects with a refusal. */
export interface AskModels {
  /** Of a program also what it said. */
  scan(choice: OfferedKey, material: string): Promise<Scan & { readonly isProgram: boolean }>;
  /** Undefined when the model sees no way. */
  merge(choice: OfferedKey, versions: FileVersions): Promise<string | undefined>;
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
  readonly #processes: NodeProcesses;
  readonly #recording: RecordingFile | undefined;
  readonly #replay: ((name: string) => Provider) | undefined;

  private constructor(options: ModelOptions, parts: ModelsParts, files: Files) {
    this.#options = options;
    this.#parts = parts;
    this.#recording = files.recording;
    this.#replay = files.replay;
    // A model has nothing to put in order before it ends.
    this.#processes = new NodeProcesses(parts.folder, { graceMs: 0 });
  }

  /** Ends programs that a host before this one has left running. */
  static async open(options: ModelOptions, parts: ModelsParts): Promise<Models> {
    const { record, replay } = options;
    const models = new Models(options, parts, {
      replay: replay === undefined ? undefined : replaying(readScript(await readFile(replay, 'utf8'))),
      recording: record === undefined ? undefined : await RecordingFile.open(record),
    });
    await models.#processes.recover();
    return models;
  }

  async provider(choice: OfferedKey): Promise<Provider> {
    const { provider: kind = '' } = choice;
    const provider = this.#replay?.(kind) ?? (await this.#made(kind, choice));
    const recorded = this.#recording;
    return recorded ? recording(provider, (line) => recorded.write(line)) : provider;
  }

  async #made(kind: string, choice: OfferedKey): Promise<Provider> {
    const { baseUrl, credentialRef, apiKey, lenientToolParsing: isLenient } = choice;
    const { credentials, clock, random } = this.#parts;
    const folder = join(this.#parts.folder, 'work');
    if (PROGRAM_KINDS.has(kind)) await mkdir(folder, { recursive: true, mode: 0o700 });
    const { commands = {}, keyName, script } = this.#options;
    const settings = {
      kind,
      baseUrl,
      script,
      isLenient,
      command: commands[kind],
      keyName,
      credentialRef: credentialRef ?? (apiKey === undefined ? undefined : 'given'),
    };
    return makeProvider(settings, {
      keyOf: (name) => apiKey ?? credentials.keyOf(name),
      processes: this.#processes,
      folder,
      clock,
      random,
      readFile: (path) => readFile(path, 'utf8'),
    });
  }

  async scan(choice: OfferedKey, material: string): ReturnType<AskModels['scan']> {
    const found = await this.#ask(choice, (provider, model, signal) => llmScan(provider, model, material, signal));
    return { ...found, isProgram: PROGRAM_KINDS.has(choice.provider ?? '') };
  }

  merge(choice: OfferedKey, versions: FileVersions): Promise<string | undefined> {
    return this.#ask(choice, (provider, model, signal) => llmMerge(provider, model, versions, signal));
  }

  /** Ends every call at once. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await this.#processes.close();
  }

  /** When nobody asks any more. */
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
    if (model === '' && (kind === 'anthropic' || kind === 'openai')) throw invalid('model', 'is needed');
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
