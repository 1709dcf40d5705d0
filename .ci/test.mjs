// `npm test`, `npm run test:system`, `npm run test:long`: prepare, run, sum up in one line per step.
//   npm test -- <words>    only the files that have one of the words in their path, or what else vitest takes
import { runSuite } from './again.mjs';
import { prepare, prepareOrExit } from './prepare.mjs';
import { clearReports, reportFile, writeSteps } from './report.mjs';
import { printSteps, runTool } from './step.mjs';

const suites = {
  unit: 'vitest.config.ts',
  system: 'vitest.system.config.ts',
  long: 'vitest.long.config.ts',
};

const [name = 'unit', ...wanted] = process.argv.slice(2);
const config = suites[name];
if (config === undefined) {
  console.error(`No suite is called ${name}: choose one of ${Object.keys(suites).join(', ')}.`);
  process.exit(1);
}
if (wanted.length === 0) await runWhole();
else await runSome();

async function runSome() {
  await prepareOrExit();
  const { code } = await runVitest(wanted, process.env);
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

  const tests = await timed(async () => {
    if (!(await runSuite(runReported, reportFile(name)))) throw new Error('Tests have failed.');
  });
  console.log('');
  printSteps([
    ['build', built],
    ['tests', tests],
  ]);
  writeSteps(name, { build: true });
  process.exitCode = tests.ok ? 0 : 1;
}

async function runReported(args, report) {
  const reporters = ['--reporter=default', '--reporter=./.ci/reporter.mjs'];
  const { ok } = await runVitest([...reporters, ...args], { ...process.env, TESTS_REPORT: report });
  return ok;
}

function runVitest(args, env) {
  return runTool('vitest', ['run', '--config', config, ...args], { live: true, env });
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
