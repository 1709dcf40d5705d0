/** Linter rules: each one in force finds its breach. A rule that a new version leaves out or calls by another name fails here. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { tempFolder } from '../support/temp-folder.js';
import { checkout } from './source-tree.js';

const DECLARED = 'export declare function read(): Promise<string>;\nexport declare const kind: 1 | 2;\n';

/** Rule -> code that breaks it. */
const breaches: Record<string, string> = {
  eqeqeq: 'export const a = kind == 1;',
  'no-debugger': 'debugger;',
  'no-restricted-imports': "export { a } from './rooms/index.js';",
  'no-unused-vars': 'const a = 1;',
  'no-var': 'export var a = 1;',
  'prefer-const': 'let a = 1;\nexport const b = a;',
  'no-default-export': 'export default 1;',
  'ban-ts-comment': '// @ts-expect-error\nexport const a: string = 1;',
  'consistent-type-imports': "import { read } from './eqeqeq.js';\nexport type Read = typeof read;",
  'no-explicit-any': 'export const a: any = 1;',
  'no-floating-promises': 'export function f(): void {\n  read();\n}',
  'no-misused-promises': 'export const a = [1].forEach(async () => void (await read()));',
  'only-throw-error': "export function f(): never {\n  throw 'a';\n}",
  'return-await':
    'export async function f(): Promise<string> {\n  try {\n    return read();\n  } catch {\n    return "";\n  }\n}',
  'switch-exhaustiveness-check': 'switch (kind) {\n  case 1:\n}',
};

/** Code that a rule might take for a breach. */
const fine = [
  'export const a = read().finally(() => read());',
  'export const a = kind === 1 ? null : 1;\nexport const b = a == null;',
  'export const f = (_: number): number => 1;',
];

const Found = z.object({
  diagnostics: z.array(z.object({ code: z.string().default('unused directive'), filename: z.string() })),
});

async function lint(folder: string): Promise<z.infer<typeof Found>['diagnostics']> {
  const program = join(checkout, 'node_modules/oxlint/bin/oxlint');
  const args = [program, '--config', join(checkout, '.oxlintrc.json'), '--threads=1', '--format=json', '.'];
  const out = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder }, (_, stdout, stderr) => {
      // Findings are JSON; what keeps it from finding any is told in words, on either stream.
      if (stderr === '' && stdout.startsWith('{')) resolve(stdout);
      else reject(new Error(`${stderr}${stdout}`));
    });
  });
  return Found.parse(JSON.parse(out)).diagnostics;
}

it('finds a breach of each rule, and nothing else', async () => {
  const folder = await tempFolder();
  const settings = { extends: join(checkout, 'tsconfig.base.json'), compilerOptions: { types: [] }, include: ['.'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await writeFile(join(folder, 'unused.ts'), `// ${['eslint', 'disable', 'next-line'].join('-')} no-var\nexport {};\n`);
  for (const [rule, text] of Object.entries(breaches)) await writeFile(join(folder, `${rule}.ts`), DECLARED + text);
  for (const [index, text] of fine.entries()) await writeFile(join(folder, `fine-${index}.ts`), DECLARED + text);

  const found = (await lint(folder)).map(
    ({ filename, code }) => `${filename} ${/\(([^)]+)\)/.exec(code)?.[1] ?? code}`,
  );
  const wanted = Object.keys(breaches).map((rule) => `${rule}.ts ${rule}`);
  expect(found.sort()).toEqual([...wanted, 'unused.ts unused directive'].sort());
});
