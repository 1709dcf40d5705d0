// `npm test`, `npm run test:system`, `npm run test:long`: prepare, run, sum up in one line per step.
//   npm test -- <words>    only the files that have one of the words in their path, or what else vitest takes; no checks
import { printComplaints, runChecks } from './checks.mjs';
import { clearReports, reportFile, writeSteps } from './report.mjs';
import { prepare, prepareOrExit } from './prepare.mjs';
import { runTool } from './step.mjs';

const suites = {
  unit: { config: 'vitest.config.ts', checked: true },
  system: { config: 'vitest.system.config.ts', checked: false },
  long: { config: 'vitest.long.config.ts', checked: false },
};

const [name = 'unit', ...wanted] = process.argv.slice(2);
const suite = suites[name];
if (suite === undefined) {
  console.error(`No suite is called ${name}: choose one of ${Object.keys(suites).join(', ')}.`);
  process.exit(1);
}
if (wanted.length === 0) await runWhole();
else await runSome();

async function runSome() {
  await prepareOrExit();
  const { code } = await runVitest(wanted);
  process.exitCode = code;
}

async function runWhole() {
  clearReports(name);
  const built = await timed(prepare);
  if (!built.ok) {
    console.error(built.output);
    writeSteps(name, { build: false });
    process.exit(1);
  }

  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile(name)}`];
  const [checks, tests] = await Promise.all([suite.checked ? runChecks() : [], runVitest(reporters)]);
  printComplaints(checks);
  const results = [['build', built], ...checks, ['tests', tests]];
  console.log('');
  for (const [step, { ok, seconds }] of results) {
    console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.padEnd(10)} ${seconds.toFixed(1)} s`);
  }
  writeSteps(name, Object.fromEntries([['build', built], ...checks].map(([step, { ok }]) => [step, ok])));
  process.exitCode = results.every(([, { ok }]) => ok) ? 0 : 1;
}

function runVitest(args) {
  return runTool('vitest', ['run', '--config', suite.config, ...args], { live: true });
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
