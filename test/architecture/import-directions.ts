import { type Import, importTarget, importsOf, isBuiltin, packageOf } from './imports.js';
import {
  type Layer,
  layers,
  modelLibraries,
  modelProviders,
  reachable,
  socketLibraries,
  workspacePackages,
} from './layers.js';
import { type Files, isSource, isTest } from './source-tree.js';

/** Layers are the folders of core/src and studio/src, at the depth that the table names, and the files beside them. */
const layered = /^(core|studio)\/src\/([^/]+)(?:\/([^/]+)\/)?/;

/** Folder of what tests of several packages need and no package offers, such as an S3 on this machine. */
const sharedByTests = 'test/support/';
/** Programs that build, install and run this checkout. */
const tooling = '.ci/';

/** One line per breach: `file -> import (rule)`. */
export function importBreaches(files: Files): string[] {
  const breaches: string[] = [];
  for (const [path, text] of files) {
    if (!isSource(path)) continue;
    const unknown = unknownPlace(path);
    if (unknown !== undefined) breaches.push(`${path} (${unknown})`);
    for (const found of importsOf(path, text)) {
      const rule = broken(path, found, files);
      if (rule !== undefined) breaches.push(`${path} -> ${found.specifier} (${rule})`);
    }
  }
  return breaches;
}

function broken(path: string, found: Import, files: Files): string | undefined {
  const target = importTarget(path, found.specifier, files);
  return target === undefined ? brokenOutside(path, found, files) : brokenInside(path, target, found);
}

function brokenInside(path: string, target: string, found: Import): string | undefined {
  const home = topOf(path);
  if (target.startsWith('#')) return 'no package.json maps this name';
  if (topOf(target) !== home) {
    if (isTest(path) && target.startsWith(sharedByTests)) return undefined;
    if (!isPackage(home) && target.startsWith(tooling)) return undefined;
    return `${home} reaches into ${topOf(target)}: use its public name`;
  }
  if (!isPackage(home)) return undefined;
  if (!target.startsWith(`${home}/src/`) && !target.startsWith(`${home}/ui/`)) return 'leaves the source folder';
  if (isTest(path)) return undefined;
  if (isTest(target)) return 'product code imports a test';
  return brokenLayer(path, target, found);
}

function brokenLayer(path: string, target: string, found: Import): string | undefined {
  const from = placeOf(path);
  const to = placeOf(target);
  const row = ruleFor(path);
  if (row === undefined || to === undefined) return undefined;
  if (from === to) {
    if (row.siblings === undefined || row.siblings(path, target)) return undefined;
    return `files of ${from} do not import each other`;
  }
  if (row.notFiles?.test(target) === true && !found.typeOnly) return `${from} gets this as a port`;
  if (names(row.values, to) || row.values.includes('*')) return undefined;
  if (row.types !== undefined && names(row.types, to))
    return found.typeOnly ? undefined : `${from} may import only types of ${to}`;
  return `${from} may not import ${to}`;
}

function brokenOutside(path: string, found: Import, files: Files): string | undefined {
  const home = topOf(path);
  const name = packageOf(found.specifier);
  if (/(^|\/)(src|dist)(\/|$)/.test(found.specifier) && workspacePackages.includes(name)) return 'not a public name';
  if (isPackage(home) && home !== 'server' && !isTest(path) && socketLibraries.includes(name)) {
    return 'only the server imports a socket library';
  }
  if (isPackage(home) && !path.startsWith(modelProviders) && !isTest(path) && modelLibraries.includes(name)) {
    return 'only the providers of models know a vendor';
  }
  if (workspacePackages.includes(name)) {
    if (reachable[home]?.includes(name) !== true) return `${home} may not import ${name}`;
  } else if (
    path.startsWith(`${home}/src/`) &&
    isPackage(home) &&
    !isTest(path) &&
    !isBuiltin(found.specifier) &&
    !declares(home, name, files)
  ) {
    return `not among the dependencies of ${home}`;
  }
  if (isTest(path) || !isPackage(home)) return undefined;
  return brokenByRow(path, found, name);
}

function brokenByRow(path: string, found: Import, name: string): string | undefined {
  const row = ruleFor(path);
  if (row === undefined) return undefined;
  if (isBuiltin(found.specifier) && row.builtins !== 'all' && row.builtins?.includes(found.specifier) !== true) {
    return `${row.layer} does not import this Node built-in`;
  }
  if (row.not?.includes(name) === true) return `not for ${row.layer}`;
  const only = row.onlyNames?.[name];
  if (only !== undefined && !found.typeOnly && !found.values.every((taken) => only.includes(taken))) {
    return `${row.layer} takes only ${only.join(', ')} from ${name}`;
  }
  return undefined;
}

/** A dependency, or a development dependency: the build takes these in. */
function declares(home: string, name: string, files: Files): boolean {
  const manifest: unknown = JSON.parse(files.get(`${home}/package.json`) ?? '{}');
  if (typeof manifest !== 'object' || manifest === null) return false;
  return ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies']
    .map((kind) => Object.entries(manifest).find(([key]) => key === kind)?.[1])
    .some((listed: unknown) => typeof listed === 'object' && listed !== null && name in listed);
}

/** A folder or root file of core or studio that the table does not know. */
function unknownPlace(path: string): string | undefined {
  const place = placeOf(path);
  if (place === undefined || layers.has(place) || isTest(path)) return undefined;
  return `${place} is not in the table of layers: a new layer is a decision`;
}

function ruleFor(path: string): Layer | undefined {
  const place = placeOf(path);
  return place === undefined ? undefined : layers.get(place);
}

function placeOf(path: string): string | undefined {
  const [, home, folderOrFile, inner] = layered.exec(path) ?? [];
  if (home === undefined || folderOrFile === undefined) return undefined;
  const outer = `${home}/${folderOrFile}`;
  return inner !== undefined && isDivided(outer) ? `${outer}/${inner}` : outer;
}

/** Whether folders below have rows of their own: then all of them need one. */
function isDivided(outer: string): boolean {
  return [...layers.keys()].some((layer) => layer.startsWith(`${outer}/`));
}

/** Whether one of the listed layers is `place`, or the folder around it. */
function names(listed: readonly string[], place: string): boolean {
  return listed.some((layer) => place === layer || place.startsWith(`${layer}/`));
}

/** Package or folder at the top that a file is of; packages for pages are within one folder. */
function topOf(path: string): string {
  return /^(client\/[^/]+|[^/]+)/.exec(path)?.[0] ?? path;
}

function isPackage(home: string): boolean {
  return home === 'core' || home === 'server' || home === 'studio' || home === 'cli' || home.startsWith('client/');
}

/** Rows for places that are not there, and places that a row allows and no row describes. */
export function emptyRows(files: Files, rows: readonly Layer[]): string[] {
  const places = new Set([...files.keys()].filter(isSource).map(placeOf));
  const known = new Set(rows.map(({ layer }) => layer));
  return rows.flatMap(({ layer, values, types = [] }) => [
    ...(places.has(layer) ? [] : [`${layer} has a row and no files`]),
    ...[...values, ...types]
      .filter((name) => name !== '*' && !known.has(name))
      .map((name) => `${layer} allows ${name}, which has no row`),
  ]);
}
