// Licences of the packages that a build takes in: their texts go with what we ship.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where tsup writes which files it has read. */
const METAFILE = 'metafile-esm.json';

export const LICENCES = 'third-party-licences.txt';

/** Writes the licences of what was bundled into `built`; nothing where nothing was. `home` is the folder of the package. */
export function addLicences(home, built) {
  const metafile = join(built, METAFILE);
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'));
  rmSync(metafile);
  const texts = bundledPackages(Object.keys(inputs)).map((folder) => licenceOf(join(home, folder)));
  if (texts.length > 0) writeFileSync(join(built, LICENCES), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** Folders of packages that have one of these files, each once, sorted. */
function bundledPackages(paths) {
  const folders = paths.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${name} has no licence: it cannot be bundled.`);
  const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}\n`;
}
