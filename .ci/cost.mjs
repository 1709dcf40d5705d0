// `npm run test:cost -- <words>`: what test files of `npm test` take, the dearest first.
//   own         seconds of processor of their process, loading included: the first of a process loads for those after it
//   programs    those of the programs that ended meanwhile, also of ones that a file before has started
//   wall        seconds until their end; much more than both is waiting, or a busy machine
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { prepareOrExit } from './prepare.mjs';
import { runTool } from './step.mjs';
import { root } from './workspace.mjs';

const MOST = 60;

await prepareOrExit();
const folder = mkdtempSync(join(tmpdir(), 'weft-cost-'));
try {
  const report = join(folder, 'cost');
  const env = { ...process.env, TESTS_COST: report };
  const words = process.argv.slice(2);
  // A worker for each processor: with more, a file would wait for others.
  const args = ['run', '--config', 'vitest.config.ts', '--reporter=dot', '--maxWorkers=100%', ...words];
  const { code } = await runTool('vitest', args, { live: true, env });
  process.exitCode = code;
  print(readFileSync(report, 'utf8').split('\n').filter(Boolean).map(JSON.parse));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function print(files) {
  const cost = ({ own, programs }) => own + programs;
  const line = (of, name) => console.log(`${of.map((text) => text.padStart(9)).join('')}  ${name}`);
  line(['own', 'programs', 'wall'], 'file');
  for (const file of files.sort((one, other) => cost(other) - cost(one)).slice(0, MOST))
    line(
      [file.own, file.programs, file.wall].map((seconds) => seconds.toFixed(2)),
      relative(root, file.file),
    );
  const sum = (name) => files.reduce((total, file) => total + file[name], 0).toFixed(2);
  line([sum('own'), sum('programs'), ''], `all ${files.length} files`);
}
