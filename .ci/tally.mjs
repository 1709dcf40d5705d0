// Prints `N passed, N failed` over the suites of a whole run and fails if anything did.
//   node .ci/tally.mjs <failed steps of the caller>
import { countSuite, failedSteps } from './report.mjs';

const counts = ['unit', 'node-22', 'node-24', 'system'].map(countSuite);
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, failedSteps('checks') + Number(process.argv[2] ?? 0));
for (const failure of counts.flatMap((count) => count.unsteady)) console.log(`UNSTEADY, to be mended: ${failure}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
