/** Real inputs that lie in the tree: vectors of packs, and what a store of the first format holds. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

// The bundle lies in `node_modules/.weft`.
const root = join(import.meta.dirname, '..', '..');
/** Vectors and dialogues. */
export const conformance = join(root, 'conformance');
const FORMAT = join(root, 'test', 'contracts', 'formats', '1');

export async function packVectors(): Promise<Uint8Array[]> {
  const folder = join(root, 'conformance', 'packs');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name) => {
      const { hex } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { readonly hex: string };
      return new Uint8Array(Buffer.from(hex, 'hex'));
    }),
  );
}

const EVERY = 9;

/** Frames that peers send in every so many of the dialogues, one list of them for each, as they stand there. */
export async function sentFrames(): Promise<string[][]> {
  const folder = join(root, 'conformance', 'dialogues');
  interface Step {
    readonly send?: unknown;
  }
  const names = (await readdir(folder)).sort().filter((_, number) => number % EVERY === 0);
  const dialogues = await Promise.all(
    names.map(async (name) => {
      const { steps } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { readonly steps: readonly Step[] };
      return steps.flatMap(({ send }) => (typeof send === 'object' ? [JSON.stringify(send)] : []));
    }),
  );
  return dialogues.filter((frames) => frames.length > 0);
}

export async function stored(name: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(FORMAT, name)));
}

export async function storedImages(): Promise<Uint8Array[]> {
  const folder = join(FORMAT, 'store', 'images');
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  // Without what the store puts before it, which is checked there.
  return files.map((file) => new Uint8Array(file.subarray(8)));
}
