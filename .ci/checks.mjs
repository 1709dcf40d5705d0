// `npm run check`: what holds of the text of the checkout, without running it.
//   node .ci/checks.mjs                    all
//   node .ci/checks.mjs typecheck lint     those
import { join } from 'node:path';
import { prepareOrExit } from './prepare.mjs';
import { clearReports, writeSteps } from './report.mjs';
import { printSteps, runStep, runTool, runTypeScript } from './step.mjs';
import { isProgram, root } from './workspace.mjs';

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
  format: () => runTool('oxfmt', ['--threads=1', '--list-different', '.']),
  docs: () => runStep(process.execPath, [join(root, '.ci', 'docs.mjs'), '--check']),
  client: () => runStep(process.execPath, [join(root, '.ci', 'studio-client.mjs'), '--check']),
};

const pages = ['client/web', 'client/studio', 'client/face'];

const typecheck = (project) => runTypeScript(['--noEmit', '-p', project, '--pretty', 'false']);

const suite = 'checks';

/** Runs those and tells what is wrong. Types, which take as long as all others together, are checked beside them. */
async function runChecks(names) {
  const inTurn = async (some) => {
    const done = [];
    for (const name of some) done.push([name, await checks[name]()]);
    return done;
  };
  const isOfTypes = (name) => name === 'typecheck';
  const lanes = [names.filter(isOfTypes), names.filter((name) => !isOfTypes(name))];
  const results = (await Promise.all(lanes.map(inTurn))).flat();
  for (const [name, { ok, output }] of results) {
    if (!ok) console.error(`\n--- ${name} ---\n${output.trim()}`);
  }
  printSteps(results);
  writeSteps(suite, Object.fromEntries(results.map(([name, { ok }]) => [name, ok])));
  return results.every(([, { ok }]) => ok);
}

if (isProgram(import.meta.url)) {
  clearReports(suite);
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) {
    console.error(`No check is called ${unknown.join(', ')}: choose from ${Object.keys(checks).join(', ')}.`);
    process.exit(1);
  }
  await prepareOrExit();
  if (!(await runChecks(names.length === 0 ? Object.keys(checks) : names))) process.exitCode = 1;
}
