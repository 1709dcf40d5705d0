/** Files of a case, on disk. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Case } from './case.js';
import { packedCompiler } from './toolchains.js';

export async function writeCase(folder: string, { files, compilerAt }: Case): Promise<void> {
  await writeFiles(folder, files);
  if (compilerAt !== undefined) await writeFiles(folder, { [compilerAt]: await packedCompiler() });
}

export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
