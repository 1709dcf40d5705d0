/** Signers of processes on one store, each with a key of its own that one root has certified. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { tempFolder } from '../temp-folder.js';
import { weft } from '../programs/weft-run.js';

export interface CertifiedSigners {
  /** Words that name the key of the root, and the file of what it said. */
  readonly root: readonly string[];
  /** Signers, in the order of the names of their keys. */
  readonly signers: readonly string[];
  /** Words of a server that signs by the key of this name. */
  words(name: string): string[];
}

export async function certifiedSigners(store: string, names: readonly string[]): Promise<CertifiedSigners> {
  const folder = await tempFolder();
  const at = (name: string): string => join(folder, name);
  const root = ['--root', at('root.key'), '--authority', at('authority.json')];
  expect(await weft('authority', 'init', ...root)).toMatchObject({ code: 0 });
  const signers: string[] = [];
  for (const name of names) {
    const asked = await weft('authority', 'request', '--store', store, '--signer-key', at(name), '--json');
    const { founder, signer } = JSON.parse(asked.out) as { readonly founder: string; readonly signer: string };
    signers.push(signer);
    const whom = ['--founder', founder, '--signer', signer];
    expect(await weft('authority', 'certify', ...root, ...whom)).toMatchObject({ code: 0 });
  }
  return { root, signers, words: (name) => ['--authority', at('authority.json'), '--signer-key', at(name)] };
}
