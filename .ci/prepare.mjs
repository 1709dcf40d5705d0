// Makes the checkout runnable: the right node, dependencies installed, packages built. Does only what is missing.
import { buildIfStale } from './build.mjs';
import { installIfStale } from './install.mjs';
import { isProgram } from './workspace.mjs';

export async function prepare() {
  requireNode(process.versions.node);
  await installIfStale();
  await buildIfStale();
}

function requireNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Weft needs Node.js 20.19 or newer and this is ${version}: install a newer one and try again.`);
}

/** For programs: on failure says why in one message and ends with exit code 1. */
export async function prepareOrExit() {
  try {
    await prepare();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

if (isProgram(import.meta.url)) await prepareOrExit();
