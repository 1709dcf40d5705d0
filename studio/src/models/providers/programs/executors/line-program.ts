/** Run of an agent program that tells what it does line by line, as JSON, and ends with its turn. */
import type { Abilities, Assignment, Executor, ExecutorOptions, Heard } from '../../../executor.js';
import { NO_USAGE } from '../../../executor.js';
import { allowedOf } from '../../../../workspace/egress/allowed.js';
import type { NodeProcesses } from '../../../../workspace/programs/node-processes.js';
import type { ModelUsage, Stop } from '../../../provider.js';
import { ProviderError } from '../../../provider.js';
import { parseJson } from '../../replies/parse-json.js';
import { Program, type ProgramLimits, byLines } from '../program.js';
import { Noise, programFault } from '../program-fault.js';

export interface ExecutorProgram {
  readonly processes: NodeProcesses;
  /** Program, and arguments before all others. Default: its usual name. */
  readonly command?: readonly string[] | undefined;
  readonly key: () => string | undefined | Promise<string | undefined>;
  /** Environment variable in which the program looks for its key, where it has no usual one. */
  readonly keyName?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Servers that it reaches beside those of its model, as a person has named them. */
  readonly hosts?: readonly string[] | undefined;
  readonly limits?: ProgramLimits | undefined;
}

/** An agent works for hours; ten minutes without a word are a hang. */
export const EXECUTOR_LIMITS: ProgramLimits = { silenceMs: 600_000, wholeMs: 6 * 3_600_000, mostBytes: 256 << 20 };
/** Time in which a program that has ended its turn ends by itself. */
const END_MS = 10_000;

/** What a program has told of its run so far. */
export interface Told {
  text: string;
  usage: ModelUsage;
  /** Answer of the model that is told now, block by block, and what was used before it. */
  answer?: { readonly id: string; readonly before: ModelUsage };
  stop: Stop;
  isOver: boolean;
  /** What has come of a message that is not whole. */
  saying: string;
  failure?: string | undefined;
  /** Error that the program may have recovered from. */
  trouble?: string | undefined;
  /** Time, in milliseconds since 1970, at which a limit of its vendor ends. */
  limitedUntil?: number | undefined;
}

export interface Start {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface LineDialect {
  readonly name: string;
  readonly abilities: Abilities;
  readonly counts: Executor['counts'];
  readonly program: string;
  readonly logIn: string;
  readonly keyName: string;
  readonly addressName: string;
  /** Server of its vendor, where no address is named. */
  readonly host: string;
  /** Arguments and environment of a run; writes into the home what the program reads there. */
  prepare(assignment: Assignment, how: { readonly isConfined: boolean; readonly baseUrl?: string }): Promise<Start>;
  /** Prompt as the program reads it from its input. */
  prompt(assignment: Assignment): string;
  /** Reads one line: what is heard, and what is known of the run from then on. */
  read(line: unknown, told: Told): readonly Heard[];
}

export function lineExecutor(dialect: LineDialect, program: ExecutorProgram): Executor {
  const { name, abilities, counts } = dialect;
  return { name, abilities, counts, run: (assignment, options) => run(dialect, program, assignment, options) };
}

async function run(
  dialect: LineDialect,
  {
    processes,
    command,
    key,
    keyName = dialect.keyName,
    baseUrl,
    hosts = [],
    limits = EXECUTOR_LIMITS,
  }: ExecutorProgram,
  given: Assignment,
  { signal, hear }: ExecutorOptions,
) {
  const assignment = { ...given, door: { ...given.door, url: processes.found(given.door.url) } };
  if (baseUrl !== undefined && allowedOf(baseUrl) === undefined)
    throw new ProviderError('refused', `${baseUrl} is no address of a model: name it as https://models.example.org/v1`);
  const secret = assignment.isKeyed ? await key() : undefined;
  const { isConfined } = processes;
  const { args, environment } = await dialect.prepare(assignment, {
    isConfined,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  const told: Told = { text: '', usage: NO_USAGE, stop: 'end', isOver: false, saying: '' };
  const noise = new Noise();
  let last: NodeJS.Timeout | undefined;
  const program = await Program.start(
    {
      command: [...(command ?? [dialect.program]), ...args],
      environment: {
        ...environment,
        ...(secret === undefined ? {} : { [keyName]: secret }),
        ...(baseUrl === undefined ? {} : { [dialect.addressName]: baseUrl }),
      },
      processes,
      folder: assignment.folder,
      also: [assignment.home],
      reaches: {
        hosts: [baseUrl ?? dialect.host, ...hosts],
        door: given.door.url,
        repositoryId: given.repositoryId,
      },
      limits,
      signal,
    },
    byLines((line) => {
      noise.add(line);
      if (line.trim() === '' || told.isOver) return;
      for (const heard of dialect.read(parseJson(line), told)) hear(heard);
      // Some stay when their turn is over.
      if (told.isOver) last = setTimeout(() => program.end(new ProviderError('stopped', 'its turn is over')), END_MS);
    }),
  );
  program.tellLast(dialect.prompt(assignment));
  const said = await program.ended
    .catch((error: unknown) => {
      if (told.isOver && !signal.aborted) return '';
      throw error;
    })
    .finally(() => clearTimeout(last));
  const failure = told.failure ?? (told.isOver ? undefined : (told.trouble ?? said));
  if (failure === undefined) return { text: told.text, calls: [], stop: told.stop, usage: told.usage };
  const fault = programFault({ name: program.name, key: secret, logIn: dialect.logIn, noise }, failure);
  const { usage: spent, limitedUntil } = told;
  if (limitedUntil === undefined) throw new ProviderError(fault.fault, fault.message, { spent });
  const retryAfterMs = Math.max(0, limitedUntil - Date.now());
  throw new ProviderError('rate-limited', fault.message, { spent, retryAfterMs });
}
