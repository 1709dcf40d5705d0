// Which rivals have a newer version than the one that is pinned: asked of the registry by npm, and only with `--newest`.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { benchFolder } from '../measuring/folder.js';

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const run = promisify(execFile);

/** Versions by the name of a package. */
type Versions = Readonly<Record<string, string>>;

export function pinnedRivals(folder = join(benchFolder, 'rivals')): Versions {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).dependencies;
}

/** One line about all of them. A package of which nothing could be learnt is named, not passed over. */
export async function sayNewest(pinned: Versions, newestOf: (name: string) => Promise<string>): Promise<string> {
  const asked = await Promise.all(
    Object.entries(pinned).map(async ([name, version]) => {
      const newest = await newestOf(name).catch(() => 'unknown');
      return newest === version ? [] : [`${name} ${newest} (pinned: ${version})`];
    }),
  );
  const newer = asked.flat();
  return newer.length === 0 ? 'All rivals are pinned at their newest versions.' : `Newer rivals: ${newer.join(', ')}.`;
}

export async function newestInRegistry(name: string): Promise<string> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { stdout } = await run(npm, ['view', name, 'version'], { timeout: 30_000 });
  return stdout.trim();
}
