/**
 * What loops of agents are known to get wrong, each with where it is prevented here and the test that shows it. A row whose test is renamed
 * or taken away fails. One that says that it is open has no mechanism yet.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

type Row = readonly [fault: string, mechanism: string, test: string, words: string];

const SCENES = 'test/vendors/scenes.test.ts';
const VENDORS = 'studio/src/models/providers/vendors';

const ROWS: readonly Row[] = [
  [
    'thinking and fields that are not known are dropped between turns',
    `${VENDORS}/native.ts`,
    SCENES,
    'is append-only, with all that the model thought',
  ],
  [
    'an answer that was cut loses all of its calls, and nobody is told',
    'studio/src/drivers/ask-model.ts',
    SCENES,
    'goes on when an answer was cut inside a call',
  ],
  [
    'all models have the same longest answer',
    'studio/src/models/model-rows.ts',
    SCENES,
    'is asked with the effort of its stage and as much room as the model gives',
  ],
  [
    'each turn compacts anew, so that nothing comes from a cache',
    'studio/src/drivers/request.ts',
    SCENES,
    'is compacted once when it has grown too long, and goes on from there',
  ],
  [
    'ids and findings stand in the system text, so that it differs for each agent',
    'studio/src/drivers/system-text.ts',
    'studio/src/drivers/loop.test.ts',
    'has its role told in the words that all of its profile are told',
  ],
  [
    'words of the host are mixed into results of tools',
    `${VENDORS}/anthropic.ts`,
    SCENES,
    "is told the word of the host as the system's where the model takes it",
  ],
  [
    'one mark in the messages loses the cache behind a turn of many calls',
    `${VENDORS}/anthropic.ts`,
    SCENES,
    'reads from the cache what it had said before a turn of more calls than a vendor looks back over',
  ],
  [
    'a limit of hours is a dead letter',
    'studio/src/rules/queue',
    SCENES,
    'is ended by a limit of nobody: it waits until the vendor takes questions again',
  ],
  [
    'limits of spending look like limits of rate',
    `${VENDORS}/http-fault.ts`,
    `${VENDORS}/http-vendors.test.ts`,
    'knows a limit of spending, which no wait ends',
  ],
  [
    'ids and times make every repetition look new',
    'studio/src/drivers/stall.ts',
    'studio/src/drivers/stall.test.ts',
    'is the same call with the same failure, whatever id, time or number',
  ],
  [
    'a role is one sentence',
    'studio/src/record/aggregates/agent-profile/roles/worker.md',
    'studio/src/drivers/system-text.test.ts',
    'toBeGreaterThanOrEqual(40)',
  ],
  [
    'a model alone says whether work is good',
    'studio/src/rules/proposals',
    'studio/src/drivers/gates.test.ts',
    'is its own tests, where that is wanted',
  ],
  [
    'each part is reviewed, and the whole again, however small and dangerous',
    'studio/src/rules/goals/review-depth.ts',
    'studio/src/drivers/review-depth.test.ts',
    'is let through by them, and the whole is looked at',
  ],
  [
    'a plan is unchecked text',
    'studio/src/rules/knowledge/plan.ts',
    'studio/src/rules/knowledge/plan.test.ts',
    'has a cycle exactly when its slices cannot be put in order',
  ],
  [
    'agents wait for each other’s files for ever',
    'studio/src/rules/queue',
    'studio/src/operations/queue/file-leases.test.ts',
    'are never waited for in a circle',
  ],
  [
    'a conflict with a person lands what nobody saw',
    'studio/src/rules/branches',
    'studio/src/rules/branches/user-law.test.ts',
    'what brings a conflict with a person together waits for a person',
  ],
  [
    'who has conflicted is not asked, and hangs',
    'studio/src/rules/proposals/bring-up-to-date.ts',
    'studio/src/drivers/up-to-date.test.ts',
    'is brought up to date by whoever did it, in the same conversation',
  ],
  [
    'programs with tools of their own answer as text models',
    'studio/src/drivers/executing/executing.ts',
    'studio/src/drivers/executing/executing.system.test.ts',
    'edits the folder, calls the studio, proposes',
  ],
  [
    'a sandbox is the machine with holes, and off',
    'studio/src/workspace/sandbox/bubblewrap.ts',
    'studio/src/workspace/sandbox/escapes.system.test.ts',
    'a program of an agent does not get out by',
  ],
  [
    'folders without a repository break builds',
    'studio/src/workspace/private-git/private-gits.ts',
    'studio/src/workspace/private-git/private-git.system.test.ts',
    'finds the repository of its folder',
  ],
  [
    'a price that nobody knows is none',
    'studio/src/models/budgets.ts',
    'studio/src/models/budgets.test.ts',
    'in dollars refuses to begin with a model whose price nobody knows',
  ],
  [
    'JSON is begged for',
    'studio/src/models/ask-for-json.ts',
    'studio/src/models/ask-for-json.test.ts',
    'offers the shape as a tool',
  ],
  [
    'what is cut says nothing of it',
    'studio/src/operations/agent-tools/reading.ts',
    'studio/src/operations/agent-tools/agent-tools.test.ts',
    'shows lines with their numbers, and says how to see the rest',
  ],
  [
    'tokens are estimated too low',
    'studio/src/models/compaction.ts',
    'studio/src/models/compaction.test.ts',
    'believes a vendor that counts otherwise',
  ],
  [
    'isolation is claimed of a program that has none',
    'docs/security.md',
    'studio/src/drivers/executing/executing.system.test.ts',
    'reaches its model and the tools of its unit, and nothing else of any network',
  ],
  [
    'settings of a model are unknown',
    'studio/src/models/model-rows.ts',
    'studio/src/config.test.ts',
    'the file about models',
  ],
  [
    'a library of a vendor leaves the runtime behind',
    'docs/security.md',
    'docs/security.md',
    '`openai` 6 is the last for Node 20',
  ],
];

it.each(ROWS.map((row) => [row[0], row] as const))('%s: prevented, and shown', (_, [, mechanism, test, words]) => {
  expect(existsSync(join(ROOT, mechanism)), mechanism).toBe(true);
  expect(readFileSync(join(ROOT, test), 'utf8')).toContain(words);
});
