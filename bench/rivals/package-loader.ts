import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { benchFolder } from '../measuring/folder.js';

const folder = join(benchFolder, 'rivals');
const Loader = z.object({
  importPackage: z.custom<(name: string) => Promise<unknown>>((value) => typeof value === 'function'),
});
const Manifest = z.object({ version: z.string() });

/**
 * Imports a package of bench/rivals. Each adapter states the part of the package that it uses as an interface: the
 * packages' own types are there only when the rivals are installed, and the checkout is type-checked without them.
 */
export async function importRival(name: string): Promise<unknown> {
  try {
    const loader = Loader.parse(await import(pathToFileURL(join(folder, 'import-package.mjs')).href));
    return await loader.importPackage(name);
  } catch (cause) {
    throw new Error(`${name} cannot be loaded from bench/rivals: run \`npm run bench -- <name> --rivals\`.`, { cause });
  }
}

export function rivalVersion(packageName: string): string {
  const file = join(folder, 'node_modules', packageName, 'package.json');
  return Manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
