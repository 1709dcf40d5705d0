// `npm run check`: what holds of the text of the checkout, without running it.
//   node .ci/checks.mjs                    all
//   node .ci/checks.mjs typecheck lint     those
import { join } from 'node:path';
import { prepareOrExit } from './prepare.mjs';
import { runStep, runTool, runTypeScript } from './step.mjs';
import { isProgram, memory, root } from './workspace.mjs';

// Beside the tests, which fill the other processors: one thread each, one after another.
const checks = {
  // What runs in browsers has their types, and nothing else has them.
  typecheck: async () => {
    const parts = ['.', ...pages].map((folder) => (folder === '.' ? 'tsconfig.json' : `${folder}/tsconfig.check.json`));
    const done = [];
    for (const project of parts) done.push(await typecheck(project));
    return {
      ok: done.every(({ ok }) => ok),
      output: done.map(({ output }) => output).join(''),
      seconds: done.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  },
  lint: () => runTool('oxlint', ['--threads=1', '--format=unix']),
  format: () => runTool('prettier', ['--check', '--log-level', 'warn', '--cache', ...cache, '.']),
  docs: () => runStep(process.execPath, [join(root, '.ci', 'docs.mjs'), '--check']),
  client: () => runStep(process.execPath, [join(root, '.ci', 'studio-client.mjs'), '--check']),
};

const pages = ['client/web', 'client/studio', 'client/face'];

const typecheck = (project) => runTypeScript(['--noEmit', '-p', project, '--pretty', 'false']);

const cache = ['--cache-location', join(memory, 'prettier.cache')];

/** Resolves with the name and result of each; the packages are built. */
export async function runChecks(names = Object.keys(checks)) {
  const done = [];
  for (const name of names) done.push([name, await checks[name]()]);
  return done;
}

/** What is wrong, where something is. */
export function printComplaints(results) {
  for (const [name, { ok, output }] of results) {
    if (!ok) console.error(`\n--- ${name} ---\n${output.trim()}`);
  }
}

if (isProgram(import.meta.url)) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) {
    console.error(`No check is called ${unknown.join(', ')}: choose from ${Object.keys(checks).join(', ')}.`);
    process.exit(1);
  }
  await prepareOrExit();
  const results = await runChecks(names.length === 0 ? undefined : names);
  printComplaints(results);
  if (results.some(([, { ok }]) => !ok)) process.exitCode = 1;
}
