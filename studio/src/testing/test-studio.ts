import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import type { Host, Notice } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { onTestFinished } from 'vitest';
import type { Scope } from '../operations/kernel/caller.js';
import { startStudio } from '../studio.js';
import type { RunningStudio, StudioOptions } from '../studio.js';
import type { StudioTokens } from '../tokens.js';
import { expectDeclared } from './record/declared.js';
import { tempFolder } from './temp-folder.js';

export const testTokens: StudioTokens = { admin: 'a'.repeat(64), operate: 'b'.repeat(64), read: 'c'.repeat(64) };

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

export interface Call {
  /** Whose token to send; undefined sends none. Default: operate. */
  readonly as?: Scope | undefined;
  /** A token to send instead. */
  readonly token?: string;
  /** Sent as JSON, unless it is text or bytes already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestStudio extends RunningStudio {
  readonly origin: string;
  /** Where it keeps branches. */
  readonly branches: string;
  readonly host: Host;
  readonly log: Notice[];
  call(method: string, path: string, call?: Call): Promise<Answer>;
}

/**
 * A studio on a free port of this machine, reached over real HTTP; it ends with the test, which fails where an operation has
 * refused for a reason that it does not declare.
 */
export async function startTestStudio(given?: Host, options: Partial<StudioOptions> = {}): Promise<TestStudio> {
  const host = given ?? createHost({ store: memoryStore() });
  const log: Notice[] = [];
  const folder = await tempFolder();
  // Said at each start below, since nothing is confined there.
  const isOfStart = ({ message }: Notice): boolean => message.startsWith('programs of agents run as the user');
  const all: Notice[] = [];
  const tell = options.log ?? ((entry: Notice): void => void (isOfStart(entry) || log.push(entry)));
  const studio = await startStudio({
    host,
    folder,
    listen: '127.0.0.1:0',
    tokens: testTokens,
    roots: [tmpdir()],
    // No test reaches out of this machine.
    cloneProtocols: [],
    // What confines programs is in the system suite.
    confinement: { unconfined: true },
    // A test may be quicker than any caller should be.
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    ...options,
    log(entry) {
      all.push(entry);
      tell(entry);
    },
  });
  onTestFinished(async () => {
    await studio.close();
    if (given === undefined) await host.close();
    expectDeclared(all);
  });
  return {
    ...studio,
    branches: join(folder, 'studio'),
    origin: `http://127.0.0.1:${studio.port}`,
    host,
    log,
    call: (method, path, options) => callHttp(studio.port, method, path, options),
  };
}

/** Not `fetch`: that would not let a test choose the Host header. */
function callHttp(port: number, method: string, path: string, { headers = {}, ...call }: Call = {}): Promise<Answer> {
  const scope = 'as' in call ? call.as : 'operate';
  const { body, token = scope === undefined ? undefined : testTokens[scope] } = call;
  const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(bytes === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) }),
        ...headers,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        const isJson = String(incoming.headers['content-type']).startsWith('application/json') && text !== '';
        const json: unknown = isJson ? JSON.parse(text) : undefined;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
      });
    });
    outgoing.end(bytes);
  });
}
