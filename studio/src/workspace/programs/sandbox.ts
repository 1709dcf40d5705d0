/** Bubblewrap sandbox: the program sees the machine, writes to its own folder alone, and does not see the studio's files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Sandbox {
  readonly program: string;
  /** Hidden folders: the studio's own, and where people keep their keys. */
  readonly hidden: readonly string[];
  readonly network: boolean;
}

/** Folders with keys in a home. */
const KEY_FOLDERS = ['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.config/gcloud', '.config/gh'];

interface Inside {
  readonly folder: string;
  /** Folder below that, where the program begins. */
  readonly below: string;
  readonly passing: string;
  readonly program: string;
  readonly args: readonly string[];
}

export function inSandbox(
  sandbox: Sandbox | undefined,
  { folder, below, passing, program, args }: Inside,
): readonly [file: string, argv: string[]] {
  if (!sandbox) return [program, [...args]];
  const hidden = sandbox.hidden.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]);
  return [
    sandbox.program,
    [
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
      ...hidden,
      // Order matters: both are inside the studio's own folder, which is hidden.
      ...['--bind', folder, folder, '--bind', passing, passing],
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', ...(sandbox.network ? [] : ['--unshare-net'])],
      // The whole folder is mounted and nothing below it: a link in there is followed in here, where it leads nowhere.
      ...['--die-with-parent', '--new-session', '--chdir', join(folder, below), '--', program, ...args],
    ],
  ];
}

export function keyFolders(home: string | undefined): string[] {
  return home === undefined ? [] : KEY_FOLDERS.map((name) => join(home, name));
}
