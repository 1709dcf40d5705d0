/** Commands section: how each project of the repository is set up, built, tested, checked and run, as its own files say. */
import type { ProjectRoot } from '../../workspace/programs/profile.js';
import { type Fact, fitted, named } from './fact.js';

const MOST_CHARACTERS = 3000;

/** Key of how long a command takes in a project. */
export function timeKey(projectRoot: string, command: string): string {
  return `${projectRoot} ${command}`;
}

/** `times`: seconds that commands took when they last passed, by `timeKey`. */
export function commandsSection(roots: readonly ProjectRoot[], times: ReadonlyMap<string, number> = new Map()): Fact[] {
  const known = roots.filter(({ stack }) => stack !== 'none');
  if (known.length === 0) return [];
  const lines = known.flatMap((root) => {
    const commands = [
      ['set up', root.setup && JSON.stringify(root.setup)],
      ['build', root.buildCommand],
      ['test', root.testCommand],
      ['lint', root.lintCommand],
      ['run', root.runCommand && `${root.runCommand}${root.isLongRunning ? ' (does not end by itself)' : ''}`],
    ] as const;
    const said = commands.flatMap(([what, command]) =>
      command ? [`  ${what}: ${command}${tookText(times.get(timeKey(root.relativePath, command)))}`] : [],
    );
    return [`- ${root.relativePath} (${root.stack})`, ...said];
  });
  const text = fitted(lines, MOST_CHARACTERS, 'the files of the projects say the rest');
  return [named('commands', `Projects and their commands, as found in their files:\n${text}`)];
}

/** Roughly, so that it is the same from one run to the next. */
function tookText(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  if (seconds < 5) return ' (took seconds)';
  const [count, unit] = seconds < 90 ? [seconds, 'seconds'] : [seconds / 60, 'minutes'];
  const magnitude = 10 ** Math.floor(Math.log10(count));
  return ` (took about ${Math.round(count / magnitude) * magnitude} ${unit})`;
}
