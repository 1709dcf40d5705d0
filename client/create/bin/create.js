#!/usr/bin/env node
/**
 * Makes an application on Weft in a folder of its own: a template's files, and the packages of Weft as tarballs beside them, since no
 * registry has them. Writes nothing outside of that folder, and runs nothing but `npm pack` where it stands in a checkout.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));

/** What each template is, what it needs besides, and how it is started. */
const TEMPLATES = {
  vanilla: { about: 'a page without a framework', ours: ['client', 'core', 'server'], needs: { esbuild: '0.27.7' } },
  react: {
    about: 'a page with React',
    ours: ['client', 'core', 'server'],
    needs: { esbuild: '0.27.7', react: '19.3.1', 'react-dom': '19.3.1' },
  },
  node: { about: 'programs that share state', ours: ['client', 'core', 'server'], needs: { ws: '8.23.0' } },
};
const FOLDERS = { client: 'client/web', core: 'core', server: 'server' };

const USAGE = `Usage: create-weft <folder> [--template ${Object.keys(TEMPLATES).join('|')}] [--packages <folder>]

  <folder>     where the application goes: a new folder, or an empty one
  --template   ${Object.entries(TEMPLATES)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('\n               ')}
  --packages   folder with the packed packages of Weft (weft-core-${version}.tgz and others); in a checkout they are packed
`;

/** What is wrong with what was asked for, in a line. */
class Refusal extends Error {}

async function main() {
  const { values, positionals } = readArguments();
  if (values.help) return void stdout.write(USAGE);
  if (positionals.length > 1) throw new Refusal(`one folder, not ${positionals.length}: ${positionals.join(', ')}`);
  const answers = await ask(positionals[0], values.template);
  const template = Object.hasOwn(TEMPLATES, answers.template) ? TEMPLATES[answers.template] : undefined;
  if (!template)
    throw new Refusal(`there is no template ${answers.template}: take one of ${Object.keys(TEMPLATES).join(', ')}`);
  const folder = resolve(answers.folder);
  const isThere = existsSync(folder);
  if (isThere && readdirSync(folder).length > 0)
    throw new Refusal(`${answers.folder} is not empty: name a new folder, or an empty one`);
  const packages = values.packages === undefined ? undefined : resolve(values.packages);
  if (packages !== undefined && !existsSync(packages)) throw new Refusal(`there is no folder ${values.packages}`);
  try {
    fill(folder, answers.template, template, packages);
  } catch (error) {
    // Half an application is none: what was begun goes, the folder too where it is new.
    for (const name of existsSync(folder) ? readdirSync(folder) : []) rmSync(join(folder, name), { recursive: true });
    if (!isThere) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  stdout.write(
    `${answers.folder} is ${template.about}. Next:\n\n  cd ${shown(folder)}\n  npm install\n  npm run dev\n`,
  );
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { template: { type: 'string' }, packages: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new Refusal(`${error.message}\n\n${USAGE}`);
  }
}

/** Asks for what was not said, where there is somebody to ask. */
async function ask(folder, template) {
  if (folder !== undefined && (template !== undefined || !stdin.isTTY))
    return { folder, template: template ?? 'vanilla' };
  if (!stdin.isTTY) throw new Refusal(`say where the application goes\n\n${USAGE}`);
  const lines = createInterface({ input: stdin, output: stdout });
  try {
    const answered = folder ?? ((await lines.question('Folder of the application (my-weft): ')).trim() || 'my-weft');
    const names = Object.keys(TEMPLATES).join(', ');
    return {
      folder: answered,
      template: template ?? ((await lines.question(`Template: ${names} (vanilla): `)).trim() || 'vanilla'),
    };
  } finally {
    lines.close();
  }
}

function fill(folder, name, { ours, needs }, packages) {
  mkdirSync(join(folder, 'packages'), { recursive: true });
  const tarballs = packages === undefined ? packInto(folder, ours) : copyInto(folder, ours, packages);
  // Pages share what serves them.
  const parts = existsSync(join(home, 'templates', name, 'dev.mjs')) ? [name] : ['page', name];
  for (const part of parts) cpSync(join(home, 'templates', part), folder, { recursive: true });
  // npm leaves out files of this name when it packs.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const dependencies = { ...tarballs, ...needs };
  const manifest = {
    name: nameOf(folder),
    private: true,
    type: 'module',
    scripts: { dev: 'node dev.mjs' },
    dependencies: Object.fromEntries(Object.entries(dependencies).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

const tarballOf = (name) => `weft-${name}-${version}.tgz`;
const asDependencies = (ours) =>
  Object.fromEntries(ours.map((name) => [`@weft/${name}`, `file:packages/${tarballOf(name)}`]));

function copyInto(folder, ours, packages) {
  for (const name of ours) {
    const file = join(packages, tarballOf(name));
    if (!existsSync(file)) throw new Refusal(`${packages} has no ${tarballOf(name)}: pack it there with npm pack`);
    cpSync(file, join(folder, 'packages', tarballOf(name)));
  }
  return asDependencies(ours);
}

/** In a checkout, as it was built last. */
function packInto(folder, ours) {
  const checkout = dirname(dirname(home));
  const folders = ours.map((name) => `./${FOLDERS[name]}`);
  const isCheckout = folders.every((place) => existsSync(join(checkout, place, 'package.json')));
  if (!isCheckout)
    throw new Refusal('say where the packed packages of Weft are, with --packages: no registry has them');
  const unbuilt = folders.filter((place) => !existsSync(join(checkout, place, 'dist')));
  if (unbuilt.length > 0) throw new Refusal(`${unbuilt.join(' and ')} is not built: npm run build in ${checkout}`);
  const options = ['--ignore-scripts', '--loglevel=error', '--pack-destination', join(folder, 'packages')];
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = spawnSync(npm, ['pack', ...options, ...folders], { cwd: checkout, encoding: 'utf8' });
  if (packed.status !== 0) throw new Refusal(`npm pack failed: ${packed.error?.message ?? packed.stderr}`);
  return asDependencies(ours);
}

/** Name of a package, of a folder that may be called anything. */
const nameOf = (folder) =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'weft-app';

/** Path as a shell takes it. */
function shown(folder) {
  const path = relative(process.cwd(), folder) || '.';
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`create-weft: ${error.message}`);
  process.exitCode = 2;
}
