/** Cost of a test file, a line in the file that TESTS_COST names: see `.ci/cost.mjs`, which alone sets it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const report = process.env['TESTS_COST'] ?? '';

interface Spent {
  readonly own: number;
  readonly programs: number;
  readonly wall: number;
}

function spentSoFar(): Spent {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, programs: ofPrograms(), wall: performance.now() / 1000 };
}

/** Seconds of processor of children that have ended, which Node does not tell: where there is no /proc, none are counted. */
function ofPrograms(): number {
  const stat = '/proc/self/stat';
  if (!existsSync(stat)) return 0;
  // The name of the program, which may hold anything, ends with the last bracket; the fields after it are numbered from 3.
  const text = readFileSync(stat, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[16 - 3]), Number(fields[17 - 3])];
  return (user + system) / 100;
}

// Read before the file is imported: what it loads is a part of its cost.
const before = spentSoFar();

afterAll(() => {
  const { own, programs, wall } = spentSoFar();
  const cost = { own: own - before.own, programs: programs - before.programs, wall: wall - before.wall };
  appendFileSync(report, `${JSON.stringify({ file: expect.getState().testPath, ...cost })}\n`);
});
