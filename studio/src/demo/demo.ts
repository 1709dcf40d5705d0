/** Demonstration: a goal from its statement to its end in the user's repository, with scripted agents; no network, no model. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '@weft/core';
import type { StudioLog } from '../log.js';
import { startStudio } from '../studio.js';
import { newTokens } from '../tokens.js';
import { doNext, unitsNow } from './person.js';
import { makeRepository, runItsTests } from './repository.js';
import { demoModels } from './models.js';
import { SCRIPT } from './script.js';

export interface DemoOptions {
  readonly host: Host;
  /** Folder for the repository and the branches. A demonstration that was begun there is continued. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Operator's log of its studio. Default: none. */
  readonly log?: StudioLog;
}

export interface DemoResult {
  readonly passed: boolean;
  readonly repository: string;
  /** Work units, each as the first line of its goal and its status at the end. */
  readonly units: readonly string[];
}

/** Polling interval of the person, and how long nothing may happen. */
const PAUSE_MS = 50;
const MOST_LOOKS = 2400;

export async function runDemo({ host, folder, say, signal, log = () => undefined }: DemoOptions): Promise<DemoResult> {
  const repository = join(folder, 'calculator');
  await mkdir(repository, { recursive: true });
  await makeRepository(repository);
  const tokens = newTokens();
  const studio = await startStudio({
    host,
    tokens,
    folder,
    roots: [folder],
    // It runs what it has written itself, on any machine.
    confinement: { unconfined: true },
    listen: '127.0.0.1:0',
    log,
    agents: { models: demoModels(SCRIPT) },
  });
  let last: Awaited<ReturnType<typeof unitsNow>> = [];
  const person = { url: studio.url, token: tokens.admin, folder: repository, say };
  try {
    const told = new Map<string, string>();
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      signal?.throwIfAborted();
      const units = await unitsNow(person);
      for (const { workUnitId, status, title } of units) {
        if (told.get(workUnitId) !== status) say(`  ${status.padEnd(12)} ${title}`);
        told.set(workUnitId, status);
      }
      last = units;
      const did = await doNext(person);
      if (did === 'over') break;
      if (did === 'nothing') await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      if (looks === MOST_LOOKS - 1) throw new Error('the demonstration does not come to its end');
    }
  } finally {
    await studio.close();
  }
  const { passed, output } = await runItsTests(repository);
  say(passed ? "the repository's own tests pass" : output);
  return { passed, repository, units: last.map(({ title, status }) => `${title}: ${status}`).toSorted() };
}
