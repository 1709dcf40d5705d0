/** Client of the control socket: asks the server that has a data folder open. */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { lockHolder } from '@weft/core/level';
import * as z from 'zod';
import { type Operation, OperatorError } from './define.js';
import { type Patience, patiently } from './patience.js';
import { socketOf } from './socket.js';

const Line = z.union([
  z.object({ progress: z.unknown() }).strict(),
  z.object({ result: z.unknown() }).strict(),
  z.object({ error: z.string() }).strict(),
]);

export interface Asking extends Pick<Patience, 'waiting' | 'signal' | 'clock'> {
  readonly progress: (value: unknown) => void;
}

/** Result of an operation; undefined when no server answers. A server that was stopped is waited for, not for ever. */
export async function askServer<In, Out>(
  folder: string,
  operation: Operation<In, Out>,
  input: In,
  { progress, ...asking }: Asking,
): Promise<{ readonly result: Out } | undefined> {
  const socketPath = socketOf(folder);
  if (socketPath === undefined) return undefined;
  const patience = { ...asking, ...(await whoHas(folder)), probe: probeOf(socketPath) };
  return patiently(patience, async (signal) => {
    const response = await post({ socketPath, path: `/${operation.name}`, method: 'POST', signal }, input);
    if (!response) return undefined;
    if (response.statusCode !== 200)
      throw new OperatorError(
        `the server that runs does not know ${operation.name}: it is of another version; stop it and ask again`,
      );
    for await (const text of linesOf(response)) {
      const line = Line.parse(JSON.parse(text));
      if ('error' in line) throw new OperatorError(line.error);
      // Not parsed: both ends are of one release, or nearly.
      if ('result' in line) return { result: line.result as Out };
      progress(line.progress);
    }
    throw goneWithoutAnswer();
  });
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: response });
  } catch (error) {
    throw hasCode(error, 'ECONNRESET') ? goneWithoutAnswer(error) : error;
  }
}

/** Probe whether the server is there: any answer counts, even that there is no such operation. */
function probeOf(socketPath: string): Patience['probe'] {
  return (signal) =>
    new Promise((resolve, reject) => {
      const asked = request({ socketPath, path: '/', signal, agent: false }, (response) => resolve(response.resume()));
      asked.on('error', reject);
      asked.end();
    });
}

async function whoHas(folder: string): Promise<Pick<Patience, 'who' | 'remedy'>> {
  const pid = await lockHolder(folder);
  const [named, it] = pid === undefined ? ['', 'its process'] : [` (process ${pid})`, String(pid)];
  return {
    who: `the server that has ${folder} open${named}`,
    remedy: `kill -CONT ${it} lets one go on that was stopped; one that is ended with kill -KILL ${it} loses nothing that it acknowledged`,
  };
}

function post(to: RequestOptions, input: unknown): Promise<IncomingMessage | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(to, resolve);
    asked.on('error', (cause) => {
      if (hasCode(cause, 'ENOENT', 'ECONNREFUSED')) return resolve(undefined);
      if (hasCode(cause, 'ECONNRESET')) return reject(goneWithoutAnswer(cause));
      if (hasCode(cause, 'ENOTDIR'))
        return reject(
          new OperatorError(`${dirname(to.socketPath ?? '')}: a file stands where a folder should; name another`, {
            cause,
          }),
        );
      const remedy = hasCode(cause, 'EACCES') ? '; ask as the user that runs it' : '';
      reject(new Error(`cannot ask the server at ${to.socketPath}: ${cause.message}${remedy}`, { cause }));
    });
    asked.end(JSON.stringify(input));
  });
}

function goneWithoutAnswer(cause?: unknown): OperatorError {
  return new OperatorError('the server has gone before it had answered; ask again', { cause });
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
