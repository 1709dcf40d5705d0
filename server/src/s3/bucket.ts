/**
 * Client of one bucket: requests are signed, retried with growing pauses when the service or the network fails, and refused
 * in words that say what to change. Objects are addressed by path, which every service of this kind understands.
 */
import { AwsClient } from 'aws4fetch';
import { type Clock, StoreError, systemClock } from '@weft/core';
import type { S3Location } from './location.js';

export interface S3Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Key below the prefix; absent for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;
/** Longest wait for an answer of the service. */
const TIMEOUT_MS = 60_000;

const REMEDIES: Readonly<Record<number, string>> = {
  301: 'the bucket is in another region; say which with ?region=',
  400: 'the service does not understand; check endpoint and region',
  401: 'the keys are not known there; check its access key and secret key',
  403: 'access denied; check its access key and secret key, and that they may list, get, put and delete there',
  404: 'there is no such bucket; make it, or correct the address',
};

export class S3Bucket {
  readonly location: S3Location;
  readonly #client: AwsClient;
  readonly #clock: Clock;

  constructor(location: S3Location, { accessKey, secretKey }: S3Keys, clock: Clock = systemClock) {
    this.location = location;
    this.#clock = clock;
    const { region } = location;
    this.#client = new AwsClient({
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      region,
      service: 's3',
      retries: 0,
    });
  }

  /**
   * Response of the service, refusals included; what fails to the last attempt is thrown. `doing` is like "read a
   * blob".
   */
  async send(doing: string, request: BucketRequest): Promise<Response> {
    const { method, headers, body } = request;
    const url = this.#url(request);
    for (let attempt = 1; ; attempt++) {
      try {
        const asked = await this.#client.sign(url, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body }),
        });
        const response = await answerTo(asked);
        if (!isTemporary(response.status)) return response;
        await response.body?.cancel();
        throw new Error(`the service answers ${response.status}`);
      } catch (error) {
        if (attempt >= ATTEMPTS) throw this.failed(doing, reasonOf(error), error);
      }
      await this.#pause(attempt);
    }
  }

  /** Response to a request that is expected to succeed; a refusal is thrown. */
  async ask(doing: string, request: BucketRequest): Promise<Response> {
    const response = await this.send(doing, request);
    if (!response.ok) throw await this.refused(doing, response);
    return response;
  }

  async refused(doing: string, response: Response): Promise<StoreError> {
    const code = /<Code>([^<]*)<\/Code>/.exec(await response.text())?.[1];
    const remedy = REMEDIES[response.status] ?? 'look into the log of the service';
    return this.failed(doing, `${[response.status, code].filter((part) => part !== undefined).join(' ')}: ${remedy}`);
  }

  failed(doing: string, reason: string, cause?: unknown): StoreError {
    const { bucket, endpoint } = this.location;
    return new StoreError('failed', `cannot ${doing} in the bucket ${bucket} at ${endpoint}: ${reason}`, { cause });
  }

  /** Presigned URL of one object; `headers` are signed, so that whoever uses it must send just these. */
  async sign(
    method: 'GET' | 'PUT',
    key: string,
    seconds: number,
    { query = {}, headers = {} }: Pick<BucketRequest, 'query' | 'headers'>,
  ): Promise<string> {
    const url = this.#url({ method, key, query: { ...query, 'X-Amz-Expires': String(seconds) } });
    const aws = { signQuery: true, allHeaders: true };
    return (await this.#client.sign(url, { method, headers: { ...headers }, aws })).url;
  }

  /** Path of an object, in the form of the header that names the source of a copy. */
  pathOf(key: string): string {
    return `/${this.location.bucket}/${this.location.prefix}${key}`;
  }

  /** A random part, so that those who failed together do not come back together. */
  #pause(attempt: number): Promise<void> {
    const ms = Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }

  #url({ key, query = {} }: BucketRequest): string {
    const { bucket, endpoint } = this.location;
    const path = key === undefined ? `/${bucket}` : this.pathOf(key);
    const search = new URLSearchParams(query).toString();
    return `${endpoint}${path}${search === '' ? '' : `?${search}`}`;
  }
}

/** Whether a retry may help; 501 stays as it is. */
function isTemporary(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}

/** Fetch with a timeout until the answer begins: its body may be read slowly. */
async function answerTo(asked: Request): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer for ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  return fetch(asked, { signal: late.signal }).finally(() => clearTimeout(timer));
}

/** Reason of a failed request; behind a failed `fetch` the cause says more. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
