/**
 * Demonstration that a person plays in a browser: a whole studio of its own, beside the one that was started, with a repository, a
 * record in memory and a script in place of a model. It lives as long as the studio beside it; a folder that a killed process has
 * left is removed before the next one begins.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import type { StudioLog } from '../log.js';
import type { Demonstration } from '../operations/kernel/demonstration.js';
import { type RunningStudio, type StudioHome, type StudioOptions, startStudio } from '../studio.js';
import { newTokens } from '../tokens.js';
import { PLAYED, PLAYED_TURNS, playedModels } from './played-script.js';
import { makeRepository } from './repository.js';

export interface PlayedOptions {
  /** Confinement of programs, which is that of the studio beside: nobody may do more there than here. */
  readonly confinement?: StudioOptions['confinement'];
  readonly log: StudioLog;
}

/** Offers it beside a studio. Where that is reached from elsewhere, none is offered: its page would not be. */
export function playedBeside(options: PlayedOptions): (home: StudioHome) => Promise<Demonstration> {
  return async (home) => {
    const folder = join(home.folder, 'demonstration');
    await rm(folder, { recursive: true, force: true });
    return new Played(options, { ...home, folder });
  };
}

const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

class Played implements Demonstration {
  readonly #options: PlayedOptions;
  readonly #home: StudioHome;
  #under: Promise<Opened> | undefined;
  /** End of the one before, whose folder the next one takes. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: PlayedOptions, home: StudioHome) {
    this.#options = options;
    this.#home = home;
  }

  stand(): ReturnType<Demonstration['stand']> {
    if (!LOCAL.has(new URL(this.#home.url).hostname)) return { state: 'none' };
    return { state: this.#under ? 'running' : 'offered', home: this.#home.url };
  }

  async play(): Promise<string> {
    await this.#ended;
    const under = (this.#under ??= opened(this.#options, this.#home));
    try {
      return (await under).link();
    } catch (error) {
      if (this.#under === under) this.#under = undefined;
      throw error;
    }
  }

  async end(): Promise<void> {
    const under = this.#under;
    this.#under = undefined;
    const ending = this.#ended.then(async () => {
      const { close } = (await under?.catch(() => undefined)) ?? {};
      await close?.();
    });
    this.#ended = ending.catch(() => undefined);
    await ending;
  }
}

type Opened = Pick<RunningStudio, 'link' | 'close'>;

async function opened({ confinement, log }: PlayedOptions, { folder, url }: StudioHome): Promise<Opened> {
  const host = createHost({ store: memoryStore() });
  const close = async (studio?: RunningStudio): Promise<void> => {
    await studio?.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const repository = join(folder, 'calculator');
    await mkdir(repository, { recursive: true, mode: 0o700 });
    await makeRepository(repository);
    const tokens = newTokens();
    const studio = await startStudio({
      host,
      tokens,
      folder,
      roots: [folder],
      listen: '127.0.0.1:0',
      cloneProtocols: [],
      ...(confinement === undefined ? {} : { confinement }),
      log,
      agents: { models: playedModels() },
      demonstration: () => Promise.resolve(thisOne(url)),
    });
    try {
      await prepare(studio.url, tokens.admin, repository);
    } catch (error) {
      await studio.close();
      throw error;
    }
    return { link: () => studio.link(), close: () => close(studio) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What a person would set up: the repository, and few turns for who works. */
async function prepare(url: string, token: string, repository: string): Promise<void> {
  const ask = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the demonstration cannot begin: ${await answer.text()}`);
  };
  await ask('POST', 'repositories', { path: repository, label: 'calculator' });
  await ask('PUT', 'agent-profiles/worker', { maxIterations: PLAYED_TURNS });
}

/** The demonstration as its own studio tells of it. */
function thisOne(home: string): Demonstration {
  const refused = (): Promise<never> => Promise.reject(new Error('this studio is the demonstration'));
  return { stand: () => ({ state: 'this', goal: PLAYED, home }), play: refused, end: () => Promise.resolve() };
}
