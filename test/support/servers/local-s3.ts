/**
 * S3 on this machine: another's implementation on a free port, with one empty bucket called `blobs`, which goes with the
 * test. A proxy in front adds what it leaves out: signatures and `if-match` are checked, and requests fail when told to.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer, request as httpRequest } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isSigned } from './signature-v4.js';

interface Service {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
type MakeService = new (options: object) => Service;

const S3rver = createRequire(import.meta.url)('s3rver') as MakeService;

export const s3Keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' };

export class LocalS3 {
  /** Requests that were failed, and connections that were cut. */
  failed = 0;
  cut = 0;
  #failures = 0;
  #holding: { readonly arrived: () => void; readonly go: Promise<void> } | undefined;
  #cuts = 0;
  #after = 0;
  readonly #behind: number;
  readonly #http = createServer((request, response) => {
    this.#take(request, response).catch(() => response.destroy());
  });

  private constructor(behind: number) {
    this.#behind = behind;
  }

  static async start(): Promise<LocalS3> {
    const directory = await mkdtemp(join(tmpdir(), 'weft-s3-'));
    const options = { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'blobs' }] };
    const behind = new S3rver(options);
    const service = new LocalS3((await behind.run()).port);
    await new Promise<void>((resolve) => service.#http.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      service.#http.close();
      service.#http.closeAllConnections();
      await behind.close();
      await rm(directory, { recursive: true });
    });
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Answers the next requests with 503, `times` of them. */
  fail(times: number): void {
    this.#failures = times;
  }

  /** Holds the next uploads back, before anything of them is stored: `arrived` once the first has come whole, until `release`. */
  holdUploads(): { readonly arrived: Promise<void>; readonly release: () => void } {
    let release: () => void = () => undefined;
    const go = new Promise<void>((resolve) => (release = resolve));
    const arrived = new Promise<void>((resolve) => (this.#holding = { arrived: resolve, go }));
    return {
      arrived,
      release: () => {
        this.#holding = undefined;
        release();
      },
    };
  }

  /** Objects in which those bytes lie, without asking by way of what is tested. */
  async keysWith(part: Uint8Array): Promise<string[]> {
    const found: string[] = [];
    for (const key of await this.keys()) {
      const bytes = await (await fetch(`http://127.0.0.1:${this.#behind}/blobs/${key}`)).arrayBuffer();
      if (Buffer.from(bytes).includes(Buffer.from(part))) found.push(key);
    }
    return found;
  }

  /** Cuts the next downloads after so many bytes, `times` of them. */
  cutAfter(bytes: number, times: number): void {
    this.#after = bytes;
    this.#cuts = times;
  }

  /** Keys of all objects, without asking by way of what is tested. */
  async keys(): Promise<string[]> {
    const listed = await (await fetch(`http://127.0.0.1:${this.#behind}/blobs?list-type=2`)).text();
    return [...listed.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    if (this.#failures > 0) {
      this.#failures--;
      this.failed++;
      return void response.writeHead(503).end();
    }
    if (!isSigned(request, body, s3Keys.secretKey)) {
      return void response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    }
    const { method = '', url = '', headers } = request;
    if (method === 'PUT') {
      this.#holding?.arrived();
      await this.#holding?.go;
    }
    const onward = { host: '127.0.0.1', port: this.#behind, method, path: url, headers };
    const wanted = headers['if-match'];
    if (wanted !== undefined && wanted !== (await this.#tagOf(url))) return void response.writeHead(412).end();
    const asked = httpRequest(onward, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (method === 'GET' && headers.range !== undefined && this.#cuts > 0) this.#cutShort(answer, response);
      else answer.pipe(response);
    });
    asked.on('error', () => response.destroy());
    asked.end(body);
  }

  async #tagOf(path: string): Promise<string | null> {
    const { headers } = await fetch(`http://127.0.0.1:${this.#behind}${path}`, { method: 'HEAD' });
    return headers.get('etag');
  }

  #cutShort(answer: IncomingMessage, response: ServerResponse): void {
    this.#cuts--;
    this.cut++;
    let left = this.#after;
    answer.on('data', (bytes: Buffer) => {
      const isLast = bytes.length >= left;
      response.write(bytes.subarray(0, left), () => isLast && response.destroy());
      left -= Math.min(left, bytes.length);
      if (isLast) answer.destroy();
    });
  }
}
