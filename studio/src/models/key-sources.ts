/**
 * Sources of keys that the person who runs the host has named: a variable of the environment, a file that only he can read, a command
 * that prints it. Each is asked when a model is, so a host that was restarted goes on by itself, and a key that was changed counts.
 */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ProviderError } from './provider.js';

export type KeySource =
  | { readonly env: string }
  | { readonly file: string }
  /** Program and its arguments; no shell. */
  | { readonly command: readonly string[] };

const run = promisify(execFile);
const LONGEST_MS = 15_000;
const MOST_BYTES = 64 * 1024;
/** Rights that others than the owner have. */
const OTHERS = 0o077;

/** Key of a source: its first line. Undefined when a variable is not set; whatever else is wrong is said, without what was read. */
export async function keyFrom(name: string, source: KeySource): Promise<string | undefined> {
  if ('env' in source) return firstLine(process.env[source.env] ?? '');
  if ('file' in source) return fromFile(name, source.file);
  const [program = '', ...rest] = source.command;
  try {
    const { stdout } = await run(program, rest, { timeout: LONGEST_MS, maxBuffer: MOST_BYTES });
    return firstLine(stdout);
  } catch (error) {
    throw unusable(name, `the command ${program} fails (${codeOf(error)})`);
  }
}

async function fromFile(name: string, path: string): Promise<string | undefined> {
  try {
    const { mode, size } = await stat(path);
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
      throw unusable(name, `others may read ${path}: run chmod 600 on it`);
    if (size > MOST_BYTES) throw unusable(name, `${path} is too long for a key`);
    return firstLine(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    throw unusable(name, `${path} cannot be read (${codeOf(error)})`);
  }
}

function firstLine(text: string): string | undefined {
  const line = text.split('\n')[0]?.trim() ?? '';
  return line === '' ? undefined : line;
}

function unusable(name: string, why: string): ProviderError {
  return new ProviderError('unauthorized', `the key ${JSON.stringify(name)} is not to be had: ${why}`);
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : 'no reason given';
}
