// What a test run leaves behind in .ci/out: results of its tests, and which of the other steps held.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent, root } from './workspace.mjs';

const folder = join(root, '.ci', 'out');

export function reportFile(suite) {
  return join(folder, `${suite}.json`);
}

function stepsFile(suite) {
  return join(folder, `${suite}.steps.json`);
}

/** Forgets an earlier run, so that its numbers cannot be taken for those of this one. */
export function clearReports(suite) {
  mkdirSync(folder, { recursive: true });
  for (const file of [reportFile(suite), stepsFile(suite)]) rmSync(file, { force: true });
}

/** `steps`: name -> whether it held. */
export function writeSteps(suite, steps) {
  writeFileSync(stepsFile(suite), `${JSON.stringify(steps, null, 2)}\n`);
}

/** Results of a suite as `.ci/reporter.mjs` wrote them; undefined where the run did not come to its end. */
export function readReport(file) {
  return parse(readIfPresent(file));
}

/** Passed and failed of one suite: its tests, and one failure for each step that failed or left no record. */
export function countSuite(suite) {
  const tests = countTests(readReport(reportFile(suite)));
  return { ...tests, failed: tests.failed + failedSteps(suite) };
}

/** Steps that failed, of a suite or of the checks, which are nothing but steps; one where they left no record. */
export function failedSteps(suite) {
  const steps = parse(readIfPresent(stepsFile(suite)));
  return steps === undefined ? 1 : Object.values(steps).filter((held) => held !== true).length;
}

export function countTests(report) {
  if (report === undefined || report.files.length === 0) return { passed: 0, failed: 1, unsteady: [] };
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  return {
    passed: sum(report.files.map((file) => file.passed)),
    failed: sum(report.files.map((file) => file.failed.length)) + report.outside.length,
    unsteady: report.unsteady ?? [],
  };
}

function parse(text) {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Cut short: counts like a missing one.
    return undefined;
  }
}
