// What a test run leaves behind in .ci/out: vitest's own JSON report, and which of the other steps held.
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
  rmSync(reportFile(suite), { force: true });
  rmSync(stepsFile(suite), { force: true });
}

/** `steps`: name -> whether it held. */
export function writeSteps(suite, steps) {
  writeFileSync(stepsFile(suite), `${JSON.stringify(steps, null, 2)}\n`);
}

/** Passed and failed of one suite: its tests, and one failure for each step that failed or left no record. */
export function countSuite(suite) {
  const tests = countTests(parse(readIfPresent(reportFile(suite))));
  return { passed: tests.passed, failed: tests.failed + failedSteps(suite) };
}

/** Steps that failed, of a suite or of the checks, which are nothing but steps; one where they left no record. */
export function failedSteps(suite) {
  const steps = parse(readIfPresent(stepsFile(suite)));
  return steps === undefined ? 1 : Object.values(steps).filter((held) => held !== true).length;
}

function countTests(report) {
  if (report === undefined) return { passed: 0, failed: 1 };
  const passed = report.numPassedTests;
  // A file that cannot be loaded has no tests to fail; an error outside all tests fails only the run.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + broken;
  return { passed, failed: failed === 0 && report.success !== true ? 1 : failed };
}

function parse(text) {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Cut short: counts like a missing one.
    return undefined;
  }
}
