/**
 * Sandboxed git runner: runs git, and nothing that a repository brings along.
 *
 * Arguments are an array; the shell that starts git is given each of them in quotes. The environment is built from nothing, so that a GIT_DIR or GIT_CONFIG
 * of our own parent cannot redirect a call; hooks and fsmonitor are switched off, no transport is allowed (a promised object
 * would otherwise be fetched with a command of the repository's choice), and discovery never climbs above the folder. Time and
 * output are bounded, and whatever does not end in time is killed with its process group.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refusal } from '../../../reasons.js';
import type { GitIdentity } from '../objects/git-identity.js';
import type { Environment } from './program-run.js';
import { runDirectly, runProgram } from './run-program.js';

export interface GitRun {
  readonly folder: string;
  readonly args: readonly string[];
  /** Receives stdout as it comes; nothing is buffered. */
  readonly onBytes: (bytes: Buffer) => void;
  readonly timeoutMs: number;
  /** Input on stdin. Default: nothing. */
  readonly input?: string | Uint8Array;
  readonly settings?: GitSettings;
  /** Receives stderr as it comes: what git says of its progress. */
  readonly onSaid?: (text: string) => void;
  /** Ends it, for this reason. */
  readonly signal?: AbortSignal;
}

export interface GitSettings {
  /** Index to use in place of the repository's own. */
  readonly index?: string;
  /** Alternate object folder for new objects; the bare repository's are found as well. */
  readonly objects?: { readonly passing: string; readonly repository: string };
  /** Merge drivers that are made to fail: what only they can merge is in conflict. */
  readonly failingDrivers?: readonly string[];
  /** Committer, author where that is another, and time of a commit, fixed so that its bytes are. */
  readonly signature?: GitIdentity & { readonly at: string; readonly author?: GitIdentity };
  /** Ignores the user's configuration of this machine, so that every host gets the same result. */
  readonly alone?: boolean;
  /** Allowed transports; `file` is this machine. Default: none. */
  readonly protocols?: readonly string[];
  /** Lets the user's agents of keys and proxies be found, and offers this secret besides to one host. */
  readonly asUser?: { readonly secret?: HostSecret | undefined };
}

/** Secret for one host: it goes to git in its environment, and to nobody else. */
export interface HostSecret {
  /** Scheme, name and port, such as `https://example.com`. */
  readonly origin: string;
  readonly user: string;
  readonly secret: string;
}

export interface GitExit {
  readonly code: number;
  /** End of stderr, enough to say what went wrong. */
  readonly said: string;
}

/** How long a ref may be locked by another: git's own tenth of a second is over before a git beside it on a busy machine has ended. */
const LOCKED_MS = 10_000;
const NEUTRAL = [
  '--no-pager',
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'],
  ...['-c', `core.filesRefLockTimeout=${LOCKED_MS}`, '-c', `core.packedRefsTimeout=${LOCKED_MS}`],
] as const;
/** Settings against files that git reads from the home of whoever runs the studio, even without a configuration. */
const ALONE = ['-c', 'core.excludesFile=/dev/null', '-c', 'core.attributesFile=/dev/null'] as const;
const INHERITED = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'TMPDIR',
  'SystemRoot',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
];
/** Environment by which git makes repositories of the kind that is read here, whatever its version or its user prefers. */
export const NEW_REPOSITORIES: Environment = { GIT_DEFAULT_HASH: 'sha1', GIT_DEFAULT_REF_FORMAT: 'files' };
/** Variables by which the user's own git finds keys, agents and proxies. */
const OF_THE_USER = [
  ...['SSH_AUTH_SOCK', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_SSH_VARIANT', 'GIT_ASKPASS', 'USER', 'LOGNAME'],
  ...['HTTPS_PROXY', 'https_proxy', 'http_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'CURL_CA_BUNDLE'],
  ...['GNUPGHOME', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
];
/** Helper of credentials that answers with what is in the environment. It is told to git for one host alone. */
const ANSWERS_WITH_SECRET =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$WEFT_REMOTE_USER" "$WEFT_REMOTE_SECRET"; }; f';
const MAX_SAID = 4096;
/** Exit code, as a shell reports it, of a program that SIGPIPE ended. */
const SIGPIPE_CODE = 141;

export async function runGit(run: GitRun): Promise<GitExit> {
  const { settings = {}, folder } = run;
  let said = '';
  let fault: Error | undefined;
  const { base, own } = environmentFor(folder, settings);
  // A transport over the network may leave a program running, which waits for the next connection.
  const isAlone = (settings.protocols ?? []).every((protocol) => protocol === 'file') && settings.asUser === undefined;
  const start = isAlone ? runProgram : runDirectly;
  const program = start({
    program: 'git',
    args: [...NEUTRAL, ...(settings.alone === true ? ALONE : []), ...run.args],
    folder,
    base,
    environment: own,
    input: run.input ?? '',
    onOut: (bytes) => {
      if (fault !== undefined) return;
      try {
        run.onBytes(bytes);
      } catch (error) {
        end(error as Error);
      }
    },
    onErr: (bytes) => {
      const text = bytes.toString('utf8');
      run.onSaid?.(text);
      said = (said + text).slice(-MAX_SAID);
    },
  });
  const end = (why: Error): void => {
    fault ??= why;
    program.kill();
  };
  const timer = setTimeout(() => {
    end(refusal('reject.git_failed', `git ${run.args[0] ?? ''} did not finish within ${run.timeoutMs / 1000} s`));
  }, run.timeoutMs);
  const stop = (): void => end(refusal('reject.stopping', 'the studio is stopping'));
  if (run.signal?.aborted) stop();
  run.signal?.addEventListener('abort', stop, { once: true });
  const { code, signal } = await program.ended
    .catch((error: unknown) => {
      throw notStarted(folder, error as NodeJS.ErrnoException);
    })
    .finally(() => {
      clearTimeout(timer);
      run.signal?.removeEventListener('abort', stop);
    });
  if (fault !== undefined) throw fault;
  // git writes to a helper that was refused its transport and has gone: a failure like any other.
  if (signal === 'SIGPIPE') return { code: SIGPIPE_CODE, said: said.trim() };
  if (signal !== null) throw refusal('reject.git_failed', `git was ended by ${signal}`);
  if (code === null) throw notStarted(folder);
  return { code, said: said.trim() };
}

/** Output of git, bounded; a longer one is refused, or truncated where that is wanted. */
export async function readGit(
  run: Omit<GitRun, 'onBytes' | 'timeoutMs'> & {
    readonly most?: number;
    readonly isCut?: boolean;
    readonly timeoutMs?: number;
  },
): Promise<GitExit & { readonly bytes: Buffer; readonly isWhole: boolean }> {
  const { most = 1 << 20, isCut = false } = run;
  const command = run.args[0] ?? '';
  const tooLong = refusal('reject.git_failed', `git ${command} answered more than ${most} bytes`);
  const pieces: Buffer[] = [];
  let room = most;
  const exit = await runGit({
    timeoutMs: 60_000,
    ...run,
    onBytes: (bytes) => {
      pieces.push(bytes.subarray(0, room));
      room -= bytes.length;
      if (room < 0) throw tooLong;
    },
  }).catch((error: unknown) => {
    if (error === tooLong && isCut) return { code: 0, said: '' };
    throw error;
  });
  return { ...exit, bytes: Buffer.concat(pieces), isWhole: room >= 0 };
}

/** Output of git as a short text. */
export async function askGit(
  folder: string,
  args: readonly string[],
  settings: GitSettings = {},
): Promise<GitExit & { readonly answer: string }> {
  const { bytes, ...exit } = await readGit({ folder, args, settings });
  return { ...exit, answer: bytes.toString('utf8') };
}

/** Refusal of a start. A shell does not say why; Node says ENOENT of a folder that is not there as well as of a program. */
function notStarted(folder: string, error?: NodeJS.ErrnoException): Error {
  if (!existsSync(folder)) return refusal('reject.git_failed', `git could not be started: ${folder} is not there`);
  return error === undefined || error.code === 'ENOENT'
    ? refusal('reject.git_missing', 'git is not installed on the machine of this studio, or is not in its PATH')
    : refusal('reject.git_failed', `git could not be started: ${error.message}`);
}

export function failed(command: string, folder: string, exit: GitExit): Error {
  return refusal('reject.git_failed', `git ${command} failed in ${folder}`, { exitCode: exit.code, said: exit.said });
}

function environmentFor(
  folder: string,
  { index, objects, failingDrivers = [], signature, alone, protocols = [], asUser }: GitSettings,
): { readonly base: Environment; readonly own: Environment } {
  const base: Record<string, string> = { LC_ALL: 'C' };
  for (const name of [...INHERITED, ...(asUser === undefined ? [] : OF_THE_USER)]) {
    const value = process.env[name];
    if (value !== undefined) base[name] = value;
  }
  const own = {
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: protocols.length === 0 ? 'none' : protocols.join(':'),
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CEILING_DIRECTORIES: dirname(folder),
    ...NEW_REPOSITORIES,
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
    ...(objects === undefined ? {} : besides(join(objects.repository, 'objects'), objects.passing)),
    ...configured([
      ...failingDrivers.map((name) => [`merge.${name}.driver`, 'false'] as const),
      ...(asUser?.secret === undefined ? [] : offered(asUser.secret)),
    ]),
    ...(asUser?.secret === undefined
      ? {}
      : { WEFT_REMOTE_USER: asUser.secret.user, WEFT_REMOTE_SECRET: asUser.secret.secret }),
    ...(alone === true ? { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } : {}),
    ...(signature === undefined ? {} : signed(signature)),
  };
  return { base, own };
}

function besides(own: string, objects: string): Environment {
  return { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: own };
}

/** Configuration by environment, like `-c`, for names that may contain anything. */
function configured(settings: readonly (readonly [name: string, value: string])[]): Environment {
  const pairs = settings.flatMap(([name, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, name],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return settings.length === 0 ? {} : { GIT_CONFIG_COUNT: `${settings.length}`, ...Object.fromEntries(pairs) };
}

/** The first empty value takes away the helpers that the user has for this host: what was told is meant. */
function offered({ origin }: HostSecret): (readonly [name: string, value: string])[] {
  return [
    [`credential.${origin}.helper`, ''],
    [`credential.${origin}.helper`, ANSWERS_WITH_SECRET],
  ];
}

function signed({ name, email, at, author = { name, email } }: NonNullable<GitSettings['signature']>): Environment {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: at,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: at,
  };
}
