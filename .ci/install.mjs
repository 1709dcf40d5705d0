// Dependencies: installed again only when what lies in node_modules is not what package-lock.json asks for.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './step.mjs';
import { memory, readIfPresent, root, sha256 } from './workspace.mjs';

const stamp = join(memory, 'install.stamp');

export async function installIfStale() {
  const lock = readIfPresent(join(root, 'package-lock.json'));
  if (lock === undefined)
    throw new Error('package-lock.json is missing: restore it, the tooling installs from it alone.');
  const wanted = sha256([lock]);
  if (readIfPresent(stamp) === wanted) return;
  if (!isInstalled(lock)) {
    const why = existsSync(join(root, 'node_modules')) ? ': node_modules does not match package-lock.json' : '';
    console.log(`Installing dependencies (npm ci)${why}.`);
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    // Its warnings are about packages that we know, and what a newcomer reads first.
    const { ok } = await runStep(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { live: true });
    if (!ok) throw new Error('npm ci failed: see its message above.');
  }
  mkdirSync(memory, { recursive: true });
  writeFileSync(stamp, wanted);
}

/**
 * npm ends each install by writing what it laid down to node_modules/.package-lock.json, so somebody's own `npm ci`
 * needs no second one. Packages for other platforms are optional and absent.
 */
function isInstalled(lock) {
  const laidDown = readIfPresent(join(root, 'node_modules', '.package-lock.json'));
  if (laidDown === undefined) return false;
  const present = JSON.parse(laidDown).packages;
  return Object.entries(JSON.parse(lock).packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = present[path];
    if (found === undefined) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}
