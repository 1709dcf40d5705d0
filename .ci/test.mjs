// `npm test`, `npm run test:system`, `npm run test:long`: prepare, run, sum up in one line per step.
import { clearReports, reportFile, writeSteps } from './report.mjs';
import { prepare } from './prepare.mjs';
import { runStep, runTool } from './step.mjs';
import { memory, root } from './workspace.mjs';

const suites = {
  unit: { config: 'vitest.config.ts', checked: true },
  system: { config: 'vitest.system.config.ts', checked: false },
  long: { config: 'vitest.long.config.ts', checked: false },
};

const checks = [
  ['typecheck', () => runTool('tsc', ['--noEmit', '-p', 'tsconfig.json', '--pretty', 'false'])],
  ['lint', () => runTool('eslint', ['.'])],
  ['format', () => runTool('prettier', [...formatCheck, '.'])],
  ['docs', () => runStep(process.execPath, [`${root}/.ci/docs.mjs`, '--check'])],
];

const formatCheck = ['--check', '--log-level', 'warn', '--cache', '--cache-location', `${memory}/prettier.cache`];

const name = process.argv[2] ?? 'unit';
const suite = suites[name];
if (suite === undefined) {
  console.error(`No suite is called ${name}: choose one of ${Object.keys(suites).join(', ')}.`);
  process.exit(1);
}
clearReports(name);

const built = await timed(prepare);
if (!built.ok) {
  console.error(built.output);
  writeSteps(name, { build: false });
  process.exit(1);
}

// The checks are single-threaded and vitest fills the other cores meanwhile.
const [checkResults, tests] = await Promise.all([suite.checked ? runChecks() : [], runVitest()]);

for (const [step, result] of checkResults) {
  if (!result.ok) console.error(`\n--- ${step} ---\n${result.output.trim()}`);
}
const results = [['build', built], ...checkResults, ['tests', tests]];
console.log('');
for (const [step, { ok, seconds }] of results) {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.padEnd(10)} ${seconds.toFixed(1)} s`);
}
writeSteps(name, Object.fromEntries([['build', built], ...checkResults].map(([step, { ok }]) => [step, ok])));
process.exitCode = results.every(([, { ok }]) => ok) ? 0 : 1;

async function runChecks() {
  const done = [];
  for (const [step, run] of checks) done.push([step, await run()]);
  return done;
}

function runVitest() {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile(name)}`];
  return runTool('vitest', ['run', '--config', suite.config, ...reporters], { live: true });
}

async function timed(action) {
  const started = performance.now();
  const since = () => (performance.now() - started) / 1000;
  try {
    await action();
    return { ok: true, output: '', seconds: since() };
  } catch (error) {
    return { ok: false, output: error.message, seconds: since() };
  }
}
