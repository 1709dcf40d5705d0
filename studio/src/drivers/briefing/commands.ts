/** Commands section: how each project of the repository is set up, built, tested, checked and run, as its own files say. */
import type { ProjectRoot } from '../../workspace/programs/profile.js';
import { type Fact, fitted, named } from './fact.js';

const MOST_CHARACTERS = 3000;

export function commandsSection(roots: readonly ProjectRoot[]): Fact[] {
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
    const said = commands.flatMap(([what, command]) => (command ? [`  ${what}: ${command}`] : []));
    return [`- ${root.relativePath} (${root.stack})`, ...said];
  });
  const text = fitted(lines, MOST_CHARACTERS, 'the files of the projects say the rest');
  return [named('commands', `Projects and their commands, as found in their files:\n${text}`)];
}
