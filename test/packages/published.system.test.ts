/** Packages as those who publish would judge them: publint, are-the-types-wrong, and what an install weighs. */
import { readFile } from 'node:fs/promises';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PackedProject, createPackedProject, packageFolders } from './packed-project.js';

let project: PackedProject;

beforeAll(async () => {
  project = await createPackedProject();
}, 180_000);

afterAll(async () => {
  await project?.remove();
});

it.each(packageFolders)('%s is as publint and attw want it', async (folder) => {
  const { tarball } = project.packages.get(folder)!;
  const bytes = await readFile(tarball);
  const { messages } = await publint({ pack: { tarball: toArrayBuffer(bytes) }, strict: true });
  expect(messages).toEqual([]);
  const found = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  // Nobody resolves these as Node 8 did, which knows no exports.
  const problems = 'problems' in found ? found.problems : [];
  const told = problems.filter((problem) => !('resolutionKind' in problem) || problem.resolutionKind !== 'node10');
  expect(told).toEqual([]);
});

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}
