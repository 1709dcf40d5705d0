/** Results of a suite's tests; undefined where the run did not come to its end. */
export interface Report {
  files: { file: string; passed: number; failed: string[]; why: Record<string, string> }[];
  outside: { file?: string; message: string }[];
  unsteady?: string[];
}

export function readReport(file: string): Report | undefined;

export function countTests(report: Report | undefined): { passed: number; failed: number; unsteady: string[] };
