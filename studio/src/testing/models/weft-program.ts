import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const WEFT = fileURLToPath(new URL('../../../../cli/bin/weft.js', import.meta.url));

export interface WeftProgram {
  readonly url: string;
  ask(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly json: Record<string, unknown> }>;
  post(path: string, body?: object): Promise<{ readonly status: number; readonly json: Record<string, unknown> }>;
  readonly pid: number;
  kill(): Promise<void>;
}

/** The built studio as a program, with a store below a folder; it is killed with the test. */
export async function startWeft(
  base: string,
  args: readonly string[] = ['--agents', 'off'],
  env: Readonly<Record<string, string>> = {},
  /** Command that starts it, such as one that gives it a disk of its own. */
  within: readonly string[] = [],
): Promise<WeftProgram> {
  const command = [WEFT, 'studio', '--listen', '127.0.0.1:0', '--store', join(base, 'store'), ...args];
  const [program, ...given] = [...within, process.execPath, ...command] as [string, ...string[]];
  const child = spawn(program, given, {
    env: {
      ...process.env,
      WEFT_ROOTS: base,
      WEFT_REMOTES: 'http',
      WEFT_UNCONFINED: 'yes',
      XDG_STATE_HOME: base,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString().trim()));
    child.once('exit', (code) => reject(new Error(`weft studio ended with ${code}`)));
  });
  const { admin } = JSON.parse(await readFile(join(base, 'store', 'studio.tokens.json'), 'utf8')) as { admin: string };
  const ask: WeftProgram['ask'] = async (method, path, body) => {
    const asked = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${admin}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: asked.status, json: (await asked.json()) as Record<string, unknown> };
  };
  return {
    url,
    ask,
    pid: child.pid!,
    post: (path, body = {}) => ask('POST', path, body),
    kill: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}
