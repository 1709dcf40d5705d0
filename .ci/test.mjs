// `npm test`, `npm run test:system`, `npm run test:long`: prepare, run, sum up in one line per step.
//   npm test -- <words>    only the files that have one of the words in their path, or what else vitest takes
import { clearReports, reportFile, writeSteps } from './report.mjs';
import { prepare, prepareOrExit } from './prepare.mjs';
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
  const tests = await runVitest(reporters);
  console.log('');
  printSteps([
    ['build', built],
    ['tests', tests],
  ]);
  writeSteps(name, { build: true });
  process.exitCode = tests.ok ? 0 : 1;
}

function runVitest(args) {
  return runTool('vitest', ['run', '--config', config, ...args], { live: true });
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
