/** Client of a studio: one function that calls any operation by its id, typed by the studio's own description. */
import { type Operations, type Refusal, ROUTES } from './operations.js';

export interface StudioClientOptions {
  /** Address of the studio, such as `http://127.0.0.1:7880`. Default: that of the page. */
  readonly origin?: string;
  /** Bearer token. A page that was let in by a link needs none. */
  readonly token?: string;
  /** Further headers of each request, asked each time. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Idempotency key: a call that is repeated under it happens once. */
  readonly key?: string | undefined;
  /** `If-Match`: the call is refused when something else stands there by now. */
  readonly match?: string | undefined;
}

export interface StudioClient {
  call<Id extends keyof Operations>(
    id: Id,
    input: Operations[Id]['input'],
    options?: CallOptions,
  ): Promise<Operations[Id]['output']>;
  /** Sends a request to a path of the studio, with what lets this client in. Throws `StudioError` where it is refused. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Refusal of the studio, or its failure. `code` is for programs. */
export class StudioError extends Error {
  override readonly name = 'StudioError';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  /** What the caller can do. */
  readonly recovery: readonly string[];
  readonly retryable: boolean;

  constructor(status: number, { error, code, details, recovery, retryable }: Partial<Refusal>) {
    super(error ?? `the studio answered ${status}`);
    this.status = status;
    this.code = code ?? 'unknown';
    this.details = details;
    this.recovery = recovery ?? [];
    this.retryable = retryable ?? false;
  }
}

type Input = Readonly<Record<string, unknown>>;

export function createStudioClient(options: StudioClientOptions = {}): StudioClient {
  const { origin = '', token, headers: more = () => ({}), fetch: send = fetch } = options;
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers({ ...more(), ...Object.fromEntries(new Headers(init.headers)) });
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const answer = await send(`${origin}${path}`, { credentials: 'same-origin', ...init, headers });
    if (!answer.ok) throw new StudioError(answer.status, await refusalIn(answer));
    return answer;
  };
  return {
    request,
    async call(id, input, { signal, key, match } = {}) {
      const { method, path, body } = requestFor(id, input);
      const headers = {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(match === undefined ? {} : { 'if-match': match }),
      };
      const answer = await request(path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
      return answer.json();
    },
  };
}

/** The HTTP request that calls an operation. */
function requestFor(id: keyof Operations, input: Input) {
  const [method, template, ...queryKeys] = ROUTES[id];
  const inPath = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_whole, key: string) => {
    inPath.add(key);
    return encodeURIComponent(String(input[key]));
  });
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || inPath.has(key)) continue;
    if (!queryKeys.includes(key)) body[key] = value;
    else for (const one of Array.isArray(value) ? value : [value]) query.append(key, String(one));
  }
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return {
    method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    body: hasBody ? JSON.stringify(body) : undefined,
  };
}

async function refusalIn(answer: Response): Promise<Partial<Refusal>> {
  try {
    return await answer.json();
  } catch {
    // Something between here and the studio has answered, which need not speak JSON.
    return {};
  }
}
