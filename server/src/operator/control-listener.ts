/**
 * The control socket of a running server: HTTP over a socket in the data folder, so whoever may enter the folder may ask.
 * `POST /<operation>` with its input as JSON; the answer is lines of JSON, `{ progress }` any number of times and then
 * `{ result }` or `{ error }`.
 */
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Log } from '../log.js';
import type { Performs } from './perform.js';
import { socketOf } from './socket.js';
import { operations } from './table.js';

const INPUT_BYTES = 64 * 1024;

export interface ControlOptions {
  readonly folder: string;
  readonly performing: Performs;
  readonly log: Log;
}

/**
 * Opens the control socket and answers a function that closes it. The store must be open: its lock makes this server
 * the only one.
 */
export async function listenControl({ folder, log, performing }: ControlOptions): Promise<() => Promise<void>> {
  const path = socketOf(folder);
  if (path === undefined) {
    const message =
      'the path of the data folder is too long for a control socket: weft backup and the like need a stop';
    log({ level: 'warn', message });
    return () => Promise.resolve();
  }
  const http = createServer((request, response) => {
    answer(performing, request, response).catch((error: unknown) => {
      log({ level: 'error', message: 'an operator could not be answered', error });
      response.destroy();
    });
  });
  await rm(path, { force: true }); // of a server that was killed
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(path, resolve);
  });
  if (process.platform !== 'win32') await chmod(path, 0o600);
  return () =>
    new Promise((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
}

async function answer(performing: Performs, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const operation = operations.get(request.url?.slice(1) ?? '');
  if (!operation || request.method !== 'POST') return void response.writeHead(404).end();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const line = async (value: object): Promise<void> => {
    if (response.write(`${JSON.stringify(value)}\n`) || gone.signal.aborted) return;
    await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
  };
  try {
    const input: unknown = JSON.parse(await textOf(request));
    const asking = { progress: (progress: unknown) => line({ progress }), signal: gone.signal };
    const result = await performing.perform(operation, input, asking);
    await line({ result: result ?? null });
  } catch (error) {
    await line({ error: error instanceof Error ? error.message : String(error) });
  }
  response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > INPUT_BYTES) throw new Error('the input is too long');
  }
  return text;
}
