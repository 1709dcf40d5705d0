// The program behind `npm run bench`, the page of its results, and the processes that benches start. Each loads what it needs and no more: the
// memory and the first moments of such a process are among what is measured.
import { childFlags } from './measuring/children.js';

async function main(first = '', second = ''): Promise<void> {
  switch (first) {
    case childFlags.opener:
      return (await import('./measuring/fresh-process.js')).answerInFreshProcess(second);
    case childFlags.archiver:
      return (await import('./weft/archiving.js')).answerArchiving(second);
    case childFlags.overwriter:
      return (await import('./weft/overwriting.js')).answerOverwriting(second);
    case childFlags.server:
      return (await import('./serving/server-process.js')).serveBench(second);
    case childFlags.followers:
      return (await import('./studio/studio-followers.js')).followEvents(second);
    case childFlags.caller:
      return (await import('./studio/studio-caller.js')).callStudio(second);
    case 'all': {
      const failed = await (await import('./run-all.js')).runAll(process.argv.slice(3));
      if (failed.length > 0) throw new Error(`These have failed, see above: ${failed.join('; ')}.`);
      return;
    }
    case 'results':
      return (await import('./results/write-results.js')).writeResults();
    default:
      return (await import('./run-bench.js')).runBench(process.argv.slice(2));
  }
}

try {
  await main(...process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof Error && error.cause !== undefined) console.error('Cause:', error.cause);
  process.exitCode = 1;
}
// A rival may keep timers that would hold the process.
process.stdout.write('', () => process.exit());
