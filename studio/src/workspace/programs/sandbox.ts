/** Bubblewrap: the program sees the machine as it is, may write to its own folder alone, and does not see what the studio keeps. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Sandbox {
  /** The `bwrap` program. */
  readonly program: string;
  /** Folders that are not to be seen: the studio's own, and where people keep their keys. */
  readonly hidden: readonly string[];
  readonly network: boolean;
}

/** Where keys lie in a home. */
const KEY_FOLDERS = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.config/gcloud', '.config/gh'];

interface Inside {
  readonly folder: string;
  readonly passing: string;
  readonly program: string;
  readonly args: readonly string[];
}

export function inSandbox(
  sandbox: Sandbox | undefined,
  { folder, passing, program, args }: Inside,
): readonly [file: string, argv: string[]] {
  if (!sandbox) return [program, [...args]];
  const hidden = sandbox.hidden.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]);
  return [
    sandbox.program,
    [
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
      ...hidden,
      // After what is hidden: both lie in the studio's own folder.
      ...['--bind', folder, folder, '--bind', passing, passing],
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', ...(sandbox.network ? [] : ['--unshare-net'])],
      ...['--die-with-parent', '--new-session', '--chdir', folder, '--', program, ...args],
    ],
  ];
}

export function keyFolders(home: string | undefined): string[] {
  return home === undefined ? [] : KEY_FOLDERS.map((name) => join(home, name));
}
