/** Runs a suite, and its failed files once more where TESTS_AGAIN=1 asks for it. Resolves with whether all held. */
export function runSuite(
  run: (args: readonly string[], report: string) => Promise<boolean>,
  report: string,
  args?: readonly string[],
): Promise<boolean>;
