/** The sandbox of this machine, if it has one that works. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Sandbox, keyFolders } from './sandbox.js';

const PROGRAM = 'bwrap';

export interface SandboxOptions {
  readonly network: boolean;
}

/** `hidden` is kept from programs, and so is what this user keeps keys in. */
export async function findSandbox(hidden: readonly string[], { network }: SandboxOptions): Promise<Sandbox> {
  await promisify(execFile)(PROGRAM, ['--ro-bind', '/', '/', '--unshare-pid', 'true']).catch((error: unknown) => {
    throw new Error('no sandbox: bubblewrap (bwrap) is not installed, or may not be used here', { cause: error });
  });
  return { program: PROGRAM, hidden: [...hidden, ...keyFolders(process.env['HOME'])], network };
}
