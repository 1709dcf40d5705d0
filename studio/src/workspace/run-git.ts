/**
 * Runs git, and nothing that a repository brings along.
 *
 * Arguments are an array and never pass through a shell. The environment is built from nothing, so that a
 * GIT_DIR or GIT_CONFIG of our own parent cannot redirect a call; hooks and fsmonitor are switched off, no
 * transport is allowed (a promised object would otherwise be fetched with a command of the repository's
 * choice), and discovery never climbs above the folder. Time and output are bounded, and whatever does not
 * end in time is killed with its group.
 */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { refusal } from '../reasons.js';

export interface GitRun {
  readonly folder: string;
  readonly args: readonly string[];
  /** Receives stdout as it comes; the runner keeps none of it. */
  readonly onText: (text: string) => void;
  readonly timeoutMs: number;
}

export interface GitExit {
  readonly code: number;
  /** The end of stderr, enough to say what went wrong. */
  readonly said: string;
}

const NEUTRAL = ['--no-pager', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'] as const;
const INHERITED = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'TMPDIR',
  'SystemRoot',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
];
const MAX_SAID = 4096;
/** What a shell makes of a program that SIGPIPE ended. */
const SIGPIPE_CODE = 141;

export function runGit(run: GitRun): Promise<GitExit> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...NEUTRAL, ...run.args], {
      cwd: run.folder,
      env: environmentFor(run.folder),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    const text = new StringDecoder('utf8');
    let said = '';
    let fault: unknown;
    const end = (why: unknown): void => {
      fault ??= why;
      killGroup(child.pid);
    };
    const timer = setTimeout(() => {
      end(refusal('reject.git_failed', `git ${run.args[0] ?? ''} did not finish within ${run.timeoutMs / 1000} s`));
    }, run.timeoutMs);

    const take = (piece: string): void => {
      if (fault !== undefined || piece === '') return;
      try {
        run.onText(piece);
      } catch (error) {
        end(error);
      }
    };
    child.stdout.on('data', (bytes: Buffer) => take(text.write(bytes)));
    child.stderr.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString('utf8')).slice(-MAX_SAID);
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(refusal('reject.git_failed', `git could not be started: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      take(text.end());
      if (fault !== undefined) reject(fault);
      // A helper that was refused its transport may be gone before git has written to it: a failure like any other.
      else if (signal === 'SIGPIPE') resolve({ code: SIGPIPE_CODE, said: said.trim() });
      else if (code === null) reject(refusal('reject.git_failed', `git was ended by ${signal ?? 'a signal'}`));
      else resolve({ code, said: said.trim() });
    });
  });
}

/** As `runGit`, for short answers: keeps stdout up to a bound. */
export async function askGit(folder: string, args: readonly string[]): Promise<GitExit & { readonly answer: string }> {
  let answer = '';
  const exit = await runGit({
    folder,
    args,
    timeoutMs: 60_000,
    onText: (text) => {
      answer += text;
      if (answer.length > 1 << 20) throw refusal('reject.git_failed', `git ${args[0] ?? ''} answered more than 1 MiB`);
    },
  });
  return { ...exit, answer };
}

function environmentFor(folder: string): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    ...environment,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The group has ended by itself between the decision and the signal; 'close' follows either way.
  }
}
