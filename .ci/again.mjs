// A suite's tests, and once more the files of what failed, where whoever runs them asks for it (docs/decisions/0210).
import { writeFileSync } from 'node:fs';
import { countTests, readReport } from './report.mjs';

/** More failures than chance explains. */
const MOST_AGAIN = 8;

/**
 * Runs a suite by `run(args, report)`, which resolves with whether all went well and leaves its results in the file
 * `report`. With TESTS_AGAIN=1, files in which something failed run once more, one at a time; what fails there too has
 * failed, and what does not is told as unsteady.
 */
export async function runSuite(run, report, args = []) {
  const held = await run(args, report);
  const first = readReport(report);
  if (held || first === undefined) return held;
  if (countTests(first).failed === 0) {
    first.outside.push({ message: 'the tests ended with a failure that none of them tells' });
    write(report, first);
  }
  if (process.env['TESTS_AGAIN'] !== '1') return false;
  const files = filesAgain(first);
  if (files.length === 0) return false;

  console.log(`\nOnce more, by themselves: ${files.join(' ')}\n`);
  const second = { files: [], outside: [] };
  let heldNow = true;
  for (const [at, one] of files.entries()) {
    // In a run of its own: what another one has left in its process is not against it.
    const file = report.replace(/\.json$/, `.again-${at}.json`);
    const held = await run([one, '--maxWorkers=1'], file);
    const results = readReport(file);
    if (results === undefined || (!held && countTests(results).failed === 0)) return false;
    second.files.push(...results.files);
    second.outside.push(...results.outside);
    heldNow &&= held;
  }
  write(report, joined(first, second, files));
  return heldNow;
}

function write(file, report) {
  writeFileSync(file, `${JSON.stringify(report)}\n`);
}

/** Files to be run again: none where too much has failed, or something of which nobody knows whose it is. */
function filesAgain(report) {
  const { failed } = countTests(report);
  if (failed > MOST_AGAIN || report.outside.some(({ file }) => file === undefined)) return [];
  const files = report.files.filter(({ failed: names }) => names.length > 0).map(({ file }) => file);
  return [...new Set([...files, ...report.outside.map(({ file }) => file)])];
}

function joined(first, second, files) {
  const again = new Map(second.files.map((result) => [result.file, result]));
  // A file that left no results the second time keeps its failures of the first.
  const results = first.files.map((result) =>
    files.includes(result.file) ? (again.get(result.file) ?? result) : result,
  );
  // The run that follows writes over what the first has told.
  const reasons = new Map(
    first.files.flatMap(({ file, why }) => Object.entries(why).map(([name, text]) => [`${file}: ${name}`, text])),
  );
  const failing = new Set(failures({ files: results, outside: second.outside }));
  return {
    files: results,
    outside: second.outside,
    unsteady: failures(first)
      .filter((failure) => !failing.has(failure))
      .map((failure) => [failure, reasons.get(failure)].filter(Boolean).join(': ')),
  };
}

function failures({ files, outside }) {
  return [
    ...files.flatMap(({ file, failed }) => failed.map((name) => `${file}: ${name}`)),
    ...outside.map(({ file, message }) => `${file}: ${message}`),
  ];
}
