/** Operator's guide as it is written: the contents of its fences, by section. */
import { readFile } from 'node:fs/promises';

const GUIDE = new URL('../../docs/guide/operating.md', import.meta.url);

export interface Section {
  readonly title: string;
  readonly text: string;
  /** Commands for a shell, one block after the other. */
  readonly blocks: readonly string[];
}

export async function guide(): Promise<readonly Section[]> {
  const [, ...sections] = (await readFile(GUIDE, 'utf8')).split(/^## /m);
  return sections.map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    text,
    blocks: [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block),
  }));
}

export async function section(title: string): Promise<Section> {
  const found = (await guide()).find((one) => one.title === title);
  if (!found) throw new Error(`the guide has no section ${title}`);
  return found;
}
