// For tests of what is timed: node has no collector at hand unless it was started with one, and the benches always are.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Puts a collector in place; answers what takes it away again. */
export function withCollector(): () => void {
  const before = globalThis.gc;
  setFlagsFromString('--expose-gc');
  globalThis.gc = runInNewContext('gc') as NodeJS.GCFunction;
  return () => {
    globalThis.gc = before;
  };
}
