/**
 * Demonstration with a forge: an issue becomes a goal, its result a request, a review has it done again, and what is merged there is
 * landed here. The forge is one of this machine, with real git and the interface of a vendor; what people do there is played.
 */
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { WrittenLine } from '../models/providers/scripted/script.js';
import { startStudio } from '../studio.js';
import { newTokens } from '../tokens.js';
import type { DemoOptions, DemoResult } from './demo.js';
import { type ForgeServer, openForgeServer } from './forge/forge-server.js';
import { plainGit } from './forge/http-git.js';
import { APPROVING, propose, read, write } from './lines.js';
import { demoModels } from './models.js';
import { makeRepository, runItsTests, testOf } from './repository.js';

const PROJECT = 'team/calculator';
const TITLE = 'Let the calculator multiply';
const REVIEW = 'What about zero? A test should say.';
const PAUSE_MS = 200;
const MOST_LOOKS = 600;

const index = "export { add } from './add.js';\nexport { multiply } from './multiply.js';\n";
const test = testOf('multiply', 'assert.equal(multiply(4, 3), 12);\n');
const better = testOf('multiply', 'assert.equal(multiply(4, 3), 12);\n  assert.equal(multiply(0, 3), 0);\n');

const SCRIPT: readonly WrittenLine[] = [
  { when: { role: 'worker' }, calls: [read('src/index.js')] },
  {
    calls: [
      write('src/index.js', index),
      write('src/multiply.js', 'export const multiply = (a, b) => a * b;\n'),
      write('test/multiply.test.js', test),
    ],
  },
  { calls: [propose('multiply(a, b), with a test')] },
  { when: { role: 'worker', says: REVIEW }, calls: [read('test/multiply.test.js')] },
  { calls: [write('test/multiply.test.js', better), propose('multiply(a, b), also with zero')] },
  APPROVING,
];

const Registered = z.object({ repositoryId: z.string() });
const Goals = z.object({ goals: z.array(z.object({ goalId: z.string(), status: z.string() })) });
const Units = z.array(z.object({ goal: z.string(), status: z.string() }));

export async function runRemoteDemo({
  host,
  folder,
  say,
  signal,
  log = () => undefined,
}: DemoOptions): Promise<DemoResult> {
  const repository = join(folder, 'calculator');
  if (await isThere(repository))
    throw new Error(`${folder} holds a demonstration already: the one with a forge begins in a new folder`);
  const tokens = newTokens();
  const forge = await forgeWith(join(folder, 'forge'));
  const studio = await startStudio({
    host,
    tokens,
    folder,
    roots: [folder],
    // It runs what it has written itself, on any machine.
    confinement: { unconfined: true },
    listen: '127.0.0.1:0',
    log,
    cloneProtocols: ['http'],
    keys: { github: forge.token },
    forges: { everyMs: PAUSE_MS },
    agents: { models: demoModels(SCRIPT) },
  });
  const ask = async <T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${studio.url}/${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.admin}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return schema.parse(await response.json());
  };
  const until = async <T>(found: () => Promise<T | undefined> | T | undefined): Promise<T> => {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      signal?.throwIfAborted();
      const value = await found();
      if (value !== undefined && value !== false) return value;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new Error('the demonstration does not come to its end');
  };
  try {
    const { model } = forge;
    const ada = model.user('ada');
    const url = forge.git.url(PROJECT);
    say('forge:  is made on this machine, with real git and the interface of GitHub; what ada does there is played');
    // The clone is a person's, with what their own git knows; here it stands in the address.
    const address = url.replace('//', `//${forge.git.credentials}@`);
    const { repositoryId } = await ask(Registered, 'POST', 'repositories/clone', {
      url: address,
      targetPath: repository,
    });
    say(`person: clones ${url}`);
    const connection = { kind: 'github', api: forge.api };
    await ask(z.unknown(), 'PUT', `repositories/${repositoryId}/forge`, connection);
    say('person: connects it to its forge; issues with the label weft become goals');
    const issue = model.openIssue(ada, TITLE, '', ['weft']);
    say(`ada:    opens issue #${issue.number}: ${TITLE}`);
    const goal = await until(async () => (await ask(Goals, 'GET', 'goals')).goals[0]);
    say(`weft:   makes it goal ${goal.goalId.slice(0, 12)}, which an agent works on and another reviews`);
    const request = await until(() => model.requests[0]);
    const first = await model.headOf(request);
    say(`weft:   opens request #${request.number}: ${request.title}`);
    model.review(request, ada, 'CHANGES_REQUESTED', '');
    const remark = model.remark(request, ada, { body: REVIEW, path: 'test/multiply.test.js', line: 6 });
    say(`ada:    requests a change at ${remark.path}: ${REVIEW}`);
    const answer = await until(() => request.remarks.find(({ replyTo }) => replyTo === remark.id));
    if ((await model.headOf(request)) === first) throw new Error('the request was answered without a change');
    say(`weft:   has the work done again, pushes it, and answers: ${answer.body.split('\n')[0]}`);
    const merged = await model.merge(request, ada);
    say(`ada:    merges request #${request.number}`);
    await until(async () => (await ask(Goals, 'GET', 'goals')).goals.find(({ status }) => status === 'Converged'));
    if ((await plainGit(repository, ['rev-parse', 'main'])) !== merged) throw new Error('what was merged is not here');
    say(`weft:   the branch of the person is at ${merged.slice(0, 12)}, which was merged there`);
    if (forge.violations.length > 0) throw new Error(`the forge was asked wrongly: ${forge.violations.join('; ')}`);
    const units = await ask(Units, 'GET', 'workunits');
    const { passed, output } = await runItsTests(repository);
    say(passed ? "the repository's own tests pass" : output);
    return {
      passed,
      repository,
      units: units.map(({ goal, status }) => `${goal.split('\n')[0]}: ${status}`).toSorted(),
    };
  } finally {
    await studio.close();
    await forge.close();
  }
}

/** A forge whose repository holds the calculator. */
async function forgeWith(folder: string): Promise<ForgeServer> {
  const seed = join(folder, 'seed');
  await mkdir(seed, { recursive: true });
  await makeRepository(seed);
  const forge = await openForgeServer('github', folder, PROJECT);
  await plainGit(seed, ['push', '--quiet', forge.model.bare, 'main']);
  return forge;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
