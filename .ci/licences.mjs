// Licences of the packages that a build takes in: their texts go with what we ship.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent } from './workspace.mjs';

/** Where a build writes which files it has read; one that is made of another has two. */
const METAFILE = /^metafile-.*\.json$/;

export const LICENCES = 'third-party-licences.txt';

/** Writes the licences of what was bundled into `built`; nothing where nothing was. `home` is the folder of the package. */
export function addLicences(home, built) {
  const metafiles = readdirSync(built).filter((name) => METAFILE.test(name));
  const read = metafiles.flatMap((name) => Object.keys(JSON.parse(readFileSync(join(built, name), 'utf8')).inputs));
  for (const name of metafiles) rmSync(join(built, name));
  const texts = [
    ...bundledPackages(read).map((folder) => licenceOf(join(home, folder))),
    ...bundledBuilds(read).flatMap((file) => readIfPresent(join(home, file)) ?? []),
  ];
  if (texts.length > 0) writeFileSync(join(built, LICENCES), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** Folders of packages that have one of these files, each once, sorted. */
function bundledPackages(paths) {
  const folders = paths.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** Licences that builds of ours among them brought along. */
function bundledBuilds(paths) {
  const ours = paths.filter((path) => !path.includes('node_modules/'));
  const folders = ours.flatMap((path) => /^\.\.\/.*\/dist(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].map((folder) => `${folder}/${LICENCES}`);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${name} has no licence: it cannot be bundled.`);
  const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}\n`;
}
