// `npm run build:binary`: one executable for this platform, dist/weft, that needs no Node. It is Node itself with the
// program, uWebSockets.js, the store's native part and ripgrep inside.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { runStep } from './step.mjs';
import { isProgram, root } from './workspace.mjs';

const { arch, platform, versions } = process;
const parts = join(root, '.ci', 'binary');
const out = join(root, 'dist');
const natives = {
  'uws.node': `uWebSockets.js/dist/bin/uws_${platform}_${arch}_${versions.modules}.node`,
  'classic-level.node': `classic-level/prebuilds/${platform}-${arch}/classic-level.node`,
  rg: `@vscode/ripgrep-${platform}-${arch}/bin/${platform === 'win32' ? 'rg.exe' : 'rg'}`,
};
/** Mark by which Node knows a copy of itself that has a program inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export async function buildBinary() {
  await prepare();
  mkdirSync(out, { recursive: true });
  // Made aside and moved when it is whole: somebody may be running the one before, or making another.
  const work = mkdtempSync(join(out, '.weft-'));
  try {
    const binary = join(out, 'weft');
    renameSync(await assembled(work), binary);
    return binary;
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function assembled(work) {
  const [program, config, blob, binary] = ['weft.mjs', 'sea.json', 'sea.blob', 'weft'].map((name) => join(work, name));
  await bundle(program);
  const assets = { 'weft.mjs': program, 'start.cjs': join(parts, 'start.cjs') };
  for (const [name, path] of Object.entries(natives)) {
    assets[name] = join(root, 'node_modules', path);
    if (!existsSync(assets[name])) throw new Error(`There is no ${path}: a binary cannot be made for this platform.`);
  }
  const main = join(parts, 'launch.cjs');
  writeFileSync(config, JSON.stringify({ main, output: blob, assets, disableExperimentalSEAWarning: true }));
  const made = await runStep(process.execPath, ['--experimental-sea-config', config]);
  if (!made.ok) throw new Error(made.output);
  copyFileSync(process.execPath, binary);
  chmodSync(binary, 0o755);
  const { inject } = await import('postject');
  await inject(binary, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: FUSE });
  return binary;
}

async function bundle(outfile) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(root, 'cli', 'dist', 'main.js')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    external: ['*.node'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [nativeParts],
    logLevel: 'warning',
  });
}

/** They lie beside the program. */
const nativeParts = {
  name: 'native parts',
  setup({ onLoad }) {
    onLoad({ filter: /uWebSockets\.js\/dist\/uws\.mjs$/ }, () => ({
      contents: "export default require('./uws.node');",
    }));
    onLoad({ filter: /classic-level\/binding\.js$/ }, () => ({
      contents: "module.exports = require('./classic-level.node');",
    }));
    onLoad({ filter: /@vscode\/ripgrep\/lib\/index\.js$/ }, () => ({
      contents: "export const rgPath = require.resolve('./rg');",
    }));
  },
};

if (isProgram(import.meta.url)) {
  try {
    const binary = await buildBinary();
    console.log(`${binary}, ${Math.round(statSync(binary).size / 1e6)} MB`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
