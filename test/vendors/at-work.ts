/** A studio whose agent works on one unit with the model of a vendor's server, reached over REST. */
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { startStudio, type StudioOptions } from '@weft/studio';
import { expect, onTestFinished } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { type Model, type VendorServer, type Wire, openVendorServer } from './vendor.js';

const tokens = { admin: 'a'.repeat(64), operate: 'b'.repeat(64), read: 'c'.repeat(64) };

type Clock = NonNullable<StudioOptions['wall']>;

/** Wall clock that a test sets forward. */
export class SetClock implements Clock {
  #ahead = 0;
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.now() + ms, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time go. A timer may look again later, so each goes off once for a call. */
  pass(ms: number): void {
    this.#ahead += ms;
    for (const timer of [...this.#timers]) if (timer.at <= this.now() && this.#timers.delete(timer)) timer.call();
  }
}

/** Steady clock that does not wait for what is over soon anyway: a second between two attempts teaches nothing. */
const hasty: Clock = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms <= 20_000 ? 1 : ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface AtWork {
  readonly workUnitId: string;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  put<T>(path: string, body: object): Promise<T>;
  /** Waits until the unit stands so. */
  until(status: string): Promise<void>;
}

export interface Unit {
  readonly workUnitId: string;
  readonly status: string;
}

/** Begins a unit whose result is something recorded. */
export async function atWork(
  agents: NonNullable<StudioOptions['agents']>,
  more: Partial<StudioOptions> = {},
): Promise<AtWork> {
  const host = createHost({ store: memoryStore() });
  const studio = await startStudio({
    host,
    folder: await tempFolder(),
    listen: '127.0.0.1:0',
    tokens,
    rateLimit: { perSecond: 1e6, burst: 1e6 },
    // What confines programs is in the system suite.
    confinement: { unconfined: true },
    steady: hasty,
    log: () => undefined,
    agents,
    ...more,
  });
  onTestFinished(async () => {
    await studio.close();
    await host.close();
  });
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${studio.port}/studio${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path}: ${text}`).toBe(true);
    return JSON.parse(text) as T;
  };
  const get = <T>(path: string): Promise<T> => call('GET', path);
  const post = <T>(path: string, body: object): Promise<T> => call('POST', path, body);
  const given = { goal: 'Find out why the door squeaks.', expectedOutputKind: 'KnowledgeArtifact' };
  const { workUnitId } = await post<Unit>('/workunits', given);
  await post('/scheduler/enqueue', { workUnitId, profileId: 'worker' });
  return {
    workUnitId,
    get,
    post,
    put: (path, body) => call('PUT', path, body),
    async until(status) {
      const stands = async (): Promise<string> => (await get<Unit>(`/workunits/${workUnitId}`)).status;
      await expect.poll(stands).toBeOneOf([status, 'DeadLettered', 'Cancelled']);
      expect([await stands(), await get('/dead-letter')]).toEqual([
        status,
        status === 'DeadLettered' ? expect.anything() : [],
      ]);
    },
  };
}

/** Server of a vendor that ends with the test. */
export async function vendorServer(wire: Wire, model: Model): Promise<VendorServer> {
  const server = await openVendorServer(wire, model);
  onTestFinished(() => server.close());
  return server;
}
