// `npm run bench -- <name> [flags]`, and `all` for every bench with its rivals: builds what is stale, installs the rivals when they take part, bundles the benches
// and becomes their process's parent.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runStep } from '../.ci/step.mjs';
import { readIfPresent, root } from '../.ci/workspace.mjs';

const bench = dirname(fileURLToPath(import.meta.url));
const program = join(bench, 'dist', 'main.mjs');
const args = process.argv.slice(2);

try {
  await prepare();
  for (const folder of rivalsOf(args)) await installRivals(folder);
  await bundle();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// Node reports a failing bench by its exit code; everything it has to say is on the terminal already.
const { code } = await runStep(process.execPath, ['--expose-gc', '--enable-source-maps', program, ...args], {
  live: true,
});
process.exitCode = code;

/** In a process of its own: what it says of builds must not stand among the figures on stdout. */
async function prepare() {
  const { ok, output } = await runStep(process.execPath, [join(root, '.ci', 'prepare.mjs')]);
  process.stderr.write(output);
  if (!ok) throw new Error('The workspace does not build: see above.');
}

/** Folders of the rivals that take part: two benches have their own, and the others share one. */
function rivalsOf(args) {
  const own = ['clients', 'faces'];
  if (args[0] === 'all') return ['rivals', ...own.map((folder) => `rivals/${folder}`)];
  if (!args.includes('--rivals')) return [];
  const mine = own.find((folder) => args.includes(folder.slice(0, -1)));
  return [mine ? `rivals/${mine}` : 'rivals'];
}

/**
 * The stamp lies in node_modules, which an install that breaks off has emptied: half an install is never taken for one. Pages of
 * others bring a thousand packages each, and are pinned by their own versions alone.
 */
async function installRivals(folder) {
  const rivals = join(bench, folder);
  const lock = readIfPresent(join(rivals, 'package-lock.json'));
  const wanted = createHash('sha256')
    .update(lock ?? readFileSync(join(rivals, 'package.json')))
    .digest('hex');
  const stamp = join(rivals, 'node_modules', '.weft-bench.stamp');
  if (readIfPresent(stamp) === wanted) return;
  const args = lock === undefined ? ['install', '--no-package-lock'] : ['ci'];
  console.error(`Installing the rivals into bench/${folder} (npm ${args.join(' ')}).`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { ok, output } = await runStep(npm, [...args, '--no-audit', '--no-fund'], { cwd: rivals });
  if (!ok) throw new Error(`npm ${args.join(' ')} in bench/${folder} failed:\n${output}`);
  writeFileSync(stamp, wanted);
}

function bundle() {
  return build({
    entryPoints: [join(bench, 'main.ts')],
    outdir: dirname(program),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  });
}
