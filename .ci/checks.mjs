// `npm run check`: what holds of the text of the checkout, without running it.
//   node .ci/checks.mjs                    all
//   node .ci/checks.mjs typecheck lint     those
import { join } from 'node:path';
import { prepareOrExit } from './prepare.mjs';
import { runStep, runTool, runTypeScript } from './step.mjs';
import { isProgram, root } from './workspace.mjs';

// Beside the tests, which fill the other processors: one thread each, one after another.
const checks = {
  // What runs in browsers has their types, and nothing else has them.
  typecheck: async () => {
    const [all, pages] = [await typecheck('tsconfig.json'), await typecheck('client/web/tsconfig.check.json')];
    const seconds = all.seconds + pages.seconds;
    return { ok: all.ok && pages.ok, output: all.output + pages.output, seconds };
  },
  lint: () => runTool('oxlint', ['--threads=1', '--format=unix']),
  format: () => runTool('oxfmt', ['--threads=1', '--list-different', '.']),
  docs: () => runStep(process.execPath, [join(root, '.ci', 'docs.mjs'), '--check']),
};

const typecheck = (project) => runTypeScript(['--noEmit', '-p', project, '--pretty', 'false']);

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
