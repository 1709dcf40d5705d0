/**
 * Limits of each process in the sandbox: memory that it writes to, seconds of a processor, size of a file, open files, processes, no
 * core. Nobody may set one above the hard limit of the studio itself, so that holds where it is lower.
 */
const WANTED = [
  ['data', 'Max data size', 4_294_967_296],
  ['cpu', 'Max cpu time', 14_400],
  ['fsize', 'Max file size', 2_147_483_648],
  ['nofile', 'Max open files', 8192],
  ['nproc', 'Max processes', 4096],
  ['core', 'Max core file size', 0],
] as const;

/** Arguments of prlimit. `held` is what the kernel says of the studio, as in /proc/self/limits. */
export function processLimits(held: string): string[] {
  return WANTED.map(([flag, name, most]) => {
    const hard = new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(held)?.[1];
    return `--${flag}=${hard === undefined ? most : Math.min(most, Number(hard))}`;
  });
}
