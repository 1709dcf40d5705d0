/**
 * Sources as modules of Node. Vitest hands each module that a test file imports to each of its processes, and to an evaluator of its own
 * in which every name of another module is a property that is read anew. So what is no test is made JavaScript once, by
 * taking its types away where they stand, and Node reads it from there: lines and columns are those of the source.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Options, transform } from 'sucrase';
import type { Plugin } from 'vitest/config';
import { folders } from './vitest.base.js';

const root = import.meta.dirname;
const target = join(root, '.ci', 'out', 'sources');

/** Programs that tests start, and modules without types, are taken along: what imports them stands there. */
const isSource = (path: string): boolean => /\.(tsx?|mjs|md)$/.test(path) && !/\.test\.tsx?$|\.d\.ts$/.test(path);

const isLeftOut = (folder: string): boolean => /^(node_modules|dist|\.dist-.*|out|history|traces)$/.test(folder);

const madeOf = (path: string): string => join(target, path.replace(/\.tsx?$/, '.js').replace(/\.md$/, '.md.js'));

export const nativeSources: Plugin = {
  name: 'native-sources',
  enforce: 'pre',
  buildStart: makeSources,
  async resolveId(name, importer, options) {
    if (importer === undefined || !name.startsWith('.')) return undefined;
    const found = await this.resolve(name, importer, { ...options, skipSelf: true });
    const path = found === null ? '..' : relative(root, found.id);
    if (!folders.includes(path.split(sep, 1)[0] ?? '') || !isSource(path)) return undefined;
    return { id: madeOf(path), external: true };
  },
};

/** Frame of an error as it is shown: in the source. */
export function inSource(_error: unknown, frame: { file: string }): void {
  if (!frame.file.startsWith(target + sep)) return;
  const path = relative(target, frame.file);
  const source = ['.ts', '.tsx'].map((end) => join(root, path.replace(/\.js$/, end))).find((file) => existsSync(file));
  frame.file = source ?? join(root, path);
}

function makeSources(): void {
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{ "type": "module" }\n');
  for (const folder of folders) makeFolder(folder);
}

function makeFolder(folder: string): void {
  mkdirSync(join(target, folder), { recursive: true });
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !isLeftOut(entry.name)) makeFolder(path);
    else if (entry.isFile() && isSource(path)) makeSource(path);
  }
}

function makeSource(path: string): void {
  const made = madeOf(path);
  const source = join(root, path);
  const changed = statSync(source).mtimeMs;
  if ((statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? 0) > changed) return;
  const text = readFileSync(source, 'utf8');
  // Suites for several Nodes begin at once: what one of them reads is whole.
  const begun = `${made}.${process.pid}`;
  writeFileSync(begun, path.endsWith('.md') ? `export default ${JSON.stringify(text)};` : moduleOf(text, source));
  renameSync(begun, made);
}

function moduleOf(text: string, source: string): string {
  const url = pathToFileURL(source).href;
  const here = Object.entries({ url, dirname: dirname(source), filename: source })
    .map(([name, value]) => `import.meta.${name}=${JSON.stringify(value)};`)
    .join('');
  const code = source.endsWith('.mjs') ? text : transform(text, withoutTypes(source)).code;
  return `${here}${code.replaceAll(/(from '[^']+\.md)'/g, "$1.js'")}\n//# sourceURL=${url}\n`;
}

function withoutTypes(source: string): Options {
  const kept = { disableESTransforms: true, keepUnusedImports: true };
  if (!source.endsWith('x')) return { ...kept, transforms: ['typescript'] };
  const jsxImportSource = source.includes('/client/face/') ? 'preact' : 'react';
  return { ...kept, transforms: ['typescript', 'jsx'], jsxRuntime: 'automatic', jsxImportSource, production: true };
}
