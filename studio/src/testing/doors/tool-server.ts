/** The server of tools for tests, as a program, and over http. */
import { spawn } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

type Way = 'well' | 'crashing' | 'hanging' | 'noisy' | 'http';

const require = createRequire(import.meta.url);
const modules = ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'].map((name) =>
  require.resolve(name).replace(/\.cjs$/, '.mjs'),
);
const script = fileURLToPath(new URL('tool-server.mjs', import.meta.url));

export function toolServerCommand(way: Way = 'well', at = script): string[] {
  return [process.execPath, at, ...modules, way];
}

/** Command of one that confined programs see: what is installed below `folder`. */
export async function installedToolServer(folder: string, way?: Way): Promise<string[]> {
  const home = join(folder, 'node_modules', 'tool-server');
  await mkdir(home, { recursive: true });
  const at = join(home, 'server.mjs');
  await copyFile(script, at);
  return toolServerCommand(way, at);
}

/** Origin of one that is reached; it ends with the test. */
export async function httpToolServer(): Promise<string> {
  const [program = '', ...args] = toolServerCommand('http');
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString().trim()));
    child.once('exit', () => reject(new Error('the server of tools has ended')));
  });
  return `http://127.0.0.1:${port}`;
}
