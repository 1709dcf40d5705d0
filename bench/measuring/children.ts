/** The first argument of processes that benches start, which says what they are to be. */
export const childFlags = {
  opener: '--in-fresh-process',
  archiver: '--archiving',
  overwriter: '--overwriting',
  server: '--as-server',
  followers: '--as-followers',
  caller: '--as-caller',
} as const;
