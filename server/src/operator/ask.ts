/** Asks the server that has a data folder open, over its control socket. */
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { type Operation, OperatorError } from './define.js';
import { socketOf } from './socket.js';

const Line = z.union([
  z.object({ progress: z.unknown() }).strict(),
  z.object({ result: z.unknown() }).strict(),
  z.object({ error: z.string() }).strict(),
]);

export interface Asking {
  readonly progress: (value: unknown) => void;
  readonly signal: AbortSignal;
}

/** Undefined when no server answers there. */
export async function askServer<In, Out>(
  folder: string,
  operation: Operation<In, Out>,
  input: In,
  { progress, signal }: Asking,
): Promise<{ readonly result: Out } | undefined> {
  const socketPath = socketOf(folder);
  const response = socketPath && (await post(socketPath, operation.name, input, signal));
  if (!response) return undefined;
  if (response.statusCode !== 200)
    throw new OperatorError(
      `the server that runs does not know ${operation.name}: it is of another version; stop it and ask again`,
    );
  for await (const text of createInterface({ input: response })) {
    const line = Line.parse(JSON.parse(text));
    if ('error' in line) throw new OperatorError(line.error);
    // Both ends are of one release, or nearly: what it answers is what the operation says.
    if ('result' in line) return { result: line.result as Out };
    progress(line.progress);
  }
  throw new OperatorError('the server has gone before it had answered; ask again');
}

function post(
  socketPath: string,
  name: string,
  input: unknown,
  signal: AbortSignal,
): Promise<IncomingMessage | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: `/${name}`, method: 'POST', signal }, resolve);
    asked.on('error', (error) => {
      const isNobody = 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED');
      if (isNobody) resolve(undefined);
      else
        reject(
          new Error(`cannot ask the server at ${socketPath}: ${error.message}; ask as the user that runs it`, {
            cause: error,
          }),
        );
    });
    asked.end(JSON.stringify(input));
  });
}
