/** Suite of efficacy: small repositories with goals and hidden tests, worked on by whatever model one has. */
export type { Case, Fix } from './efficacy/case.js';
export { CASES } from './efficacy/cases.js';
export { CANARY, IN_HOME, type Surroundings, calls, commands } from './efficacy/instructions.js';
export {
  type Comparison,
  type EvalOutcome,
  type EvalReport,
  SUITES,
  type SuiteOptions,
  type Sums,
  compareReports,
  readReport,
  runSuite,
  sumsOf,
} from './efficacy/report.js';
export { type SolveOptions, type Solved, canConfine, solve } from './efficacy/solve.js';
export { missingOf } from './efficacy/toolchains.js';
