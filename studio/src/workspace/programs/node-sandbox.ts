/** Sandbox detection: the sandbox of this machine, if it has one that works. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Sandbox, keyFolders } from './sandbox.js';

const PROGRAM = 'bwrap';

export interface SandboxOptions {
  readonly network: boolean;
}

/** Finds the sandbox. `hidden` is hidden from programs, and so are folders where this user keeps keys. */
export async function findSandbox(hidden: readonly string[], { network }: SandboxOptions): Promise<Sandbox> {
  await promisify(execFile)(PROGRAM, ['--ro-bind', '/', '/', '--unshare-pid', 'true']).catch((error: unknown) => {
    throw new Error('no sandbox: bubblewrap (bwrap) is not installed, or may not be used here', { cause: error });
  });
  return { program: PROGRAM, hidden: [...hidden, ...keyFolders(process.env['HOME'])], network };
}
