import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files of a checkout: path from its root, with slashes -> text. The rules work on such maps, so samples need no disk.
 */
export type Files = ReadonlyMap<string, string>;

export const checkout = fileURLToPath(new URL('../../', import.meta.url));

const never = /^(\.git|node_modules|dist|\.dist-.*|weft-data|out)$/;
const text = /\.(ts|tsx|js|mjs|cjs|json|md|yml|yaml|css|html|sh|svg|txt)$|\/run$|\/\.[a-z]+rc$|ignore$/;

/** Every text file of the checkout that a person wrote or a tool keeps in it. */
export function readTree(from = checkout, prefix = ''): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(join(from, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory() && !never.test(entry.name)) {
      for (const [inner, content] of readTree(from, `${path}/`)) files.set(inner, content);
    } else if (entry.isFile() && text.test(`/${path}`)) {
      files.set(path, readFileSync(join(from, path), 'utf8'));
    }
  }
  return files;
}

const packageSource = /^(core|server|studio|cli|client\/[^/]+)\/(src|ui)\/.*\.(ts|tsx)$/;

/**
 * Whether a file is a test, or only tests of its package use it. In core the folder `testing` ships, as
 * @weft/core/testing.
 */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /^(server|studio|cli|client\/[^/]+)\/src\/testing\//.test(path);
}

/** Whether a file ships: TypeScript of the packages, without their tests. */
export function isProduct(path: string): boolean {
  return packageSource.test(path) && !isTest(path);
}

/** Whether a file is code that the rules look at. */
export function isSource(path: string): boolean {
  return packageSource.test(path) || /^(test|bench|examples)\/.*\.(tsx?|mjs)$/.test(path);
}

export function select(files: Files, accepts: (path: string) => boolean): Map<string, string> {
  return new Map([...files].filter(([path]) => accepts(path)));
}
