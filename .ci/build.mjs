// Builds the packages whose inputs changed, in dependency order, independent ones at the same time.
//   node .ci/build.mjs            what is stale
//   node .ci/build.mjs --force    everything
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { addLicences } from './licences.mjs';
import { runTool, runTypeScript } from './step.mjs';
import { hashTree, isProgram, memory, packages, readIfPresent, root, sha256 } from './workspace.mjs';

export async function buildIfStale({ force = false } = {}) {
  const building = new Map();
  for (const pkg of packages) {
    const needed = Promise.all(pkg.needs.map((folder) => building.get(folder)));
    building.set(
      pkg.folder,
      needed.then(() => buildOne(pkg, force)),
    );
  }
  const results = await Promise.allSettled(building.values());
  const failed = results.filter((result) => result.status === 'rejected').map((result) => result.reason);
  // A package that waited for a failed one rejects with the very same error.
  if (failed.length > 0) throw new Error([...new Set(failed.map((error) => error.message))].join('\n'));
}

async function buildOne({ folder, needs }, force) {
  const inputs = inputsOf(folder, needs);
  if (!force && isFresh(folder, inputs)) return;

  // Built aside and swapped in whole: a failed or interrupted build leaves the last good dist, and never half a one.
  const home = join(root, folder);
  const next = `.dist-${process.pid}`;
  const started = performance.now();
  removeLeftovers(home);
  try {
    const [code, types] = await Promise.all([
      runTool('tsup', ['--silent', '--no-clean', '--out-dir', next], { cwd: home }),
      // Declarations alone: whether the types are right is what `npm run check` says of all packages at once.
      runTypeScript(['-p', 'tsconfig.json', '--noCheck', '--outDir', next, '--pretty', 'false'], { cwd: home }),
    ]);
    const complaints = [code, types].filter((result) => !result.ok).map((result) => result.output.trim());
    if (complaints.length > 0) throw new Error(`Build of ${folder} failed:\n${complaints.join('\n')}`);
    addCommonJs(folder, join(home, next));
    addLicences(home, join(home, next));
    const missing = missingTargets(folder, next);
    if (missing.length > 0) throw new Error(`Build of ${folder} did not produce ${missing.join(', ')}.`);

    rmSync(stampOf(folder), { force: true });
    rmSync(join(home, 'dist'), { recursive: true, force: true });
    renameSync(join(home, next), join(home, 'dist'));
    mkdirSync(memory, { recursive: true });
    const surface = hashTree(join(home, 'dist'), (file) => file.endsWith('.d.ts'));
    writeFileSync(stampOf(folder), JSON.stringify({ inputs, surface }));
  } finally {
    rmSync(join(home, next), { recursive: true, force: true });
  }
  console.log(`Built ${folder} in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

function inputsOf(folder, needs) {
  const home = join(root, folder);
  return sha256([
    hashTree(join(home, 'src'), (file) => !file.endsWith('.test.ts')),
    ...['package.json', 'tsconfig.json', 'tsup.config.ts'].map((file) => readFileSync(join(home, file))),
    ...['tsconfig.base.json', 'tsup.base.ts'].map((file) => readFileSync(join(root, file))),
    // Types of a needed package: where it is not bundled, nothing else of it can change this build.
    ...needs.map((needed) => readStamp(needed)?.[isBundled(folder, needed) ? 'inputs' : 'surface'] ?? 'unbuilt'),
  ]);
}

function isBundled(folder, needed) {
  const [{ devDependencies = {} }, { name }] = [folder, needed].map(manifestOf);
  return name in devDependencies;
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function isFresh(folder, inputs) {
  return readStamp(folder)?.inputs === inputs && missingTargets(folder, 'dist').length === 0;
}

/** Files that package.json promises to importers and that `built` does not have. */
function missingTargets(folder, built) {
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return targetsIn(exports)
    .filter((target) => target.startsWith('./dist/'))
    .filter((target) => !existsSync(join(root, folder, built, target.slice('./dist/'.length))));
}

/** Every file that a map of exports names, however deep its conditions are. */
export function targetsIn(exports) {
  return typeof exports === 'string' ? [exports] : Object.values(exports).flatMap(targetsIn);
}

/**
 * What CommonJS needs of a package that is ES modules: an entry that hands out the very same module, since Node can require
 * one from 20.19 on, so that no class exists twice; and the types once more, in files that TypeScript takes for CommonJS.
 */
function addCommonJs(folder, built) {
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  for (const target of targetsIn(exports).filter((name) => name.endsWith('.cjs'))) {
    const file = target.slice('./dist/'.length);
    writeFileSync(join(built, file), `module.exports = require('./${basename(file, '.cjs')}.js');\n`);
  }
  for (const name of readdirSync(built, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const types = readFileSync(join(built, name), 'utf8');
    const paths = /((?:from|import)\s*\(?\s*['"]\.[^'"]*)\.js(['"])/g;
    writeFileSync(join(built, name.replace(/\.d\.ts$/, '.d.cts')), types.replaceAll(paths, '$1.cjs$2'));
  }
}

/** Build folders of processes that died. A live one belongs to a build that runs beside this one. */
function removeLeftovers(home) {
  for (const name of readdirSync(home)) {
    const pid = /^\.dist-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(home, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function stampOf(folder) {
  return join(memory, `${folder.replaceAll('/', '-')}.stamp`);
}

function readStamp(folder) {
  const text = readIfPresent(stampOf(folder));
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Cut short by a crash: as good as none, the package is built again.
    return undefined;
  }
}

if (isProgram(import.meta.url)) {
  try {
    await buildIfStale({ force: process.argv.includes('--force') });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
