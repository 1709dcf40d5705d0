import { describe, expect, it } from 'vitest';
import { nodeObjectStores } from '../../workspace/git/objects/node-object-store.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { markedTree } from './marked-tree.js';

type Files = Readonly<Record<string, string | Buffer | { readonly mode: string; readonly content: string }>>;

const [FILE, PROGRAM, LINK] = ['100644', '100755', '120000'];
const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
const MARKED = '<<<<<<< candidate\nthere\n=======\nown\n>>>>>>> wu-1\n';

async function commitOf(store: ObjectStore, files: Files, parents: readonly string[] = []): Promise<string> {
  const entries = Object.entries(files).map(([path, one]) =>
    typeof one === 'string' || Buffer.isBuffer(one) ? { path, content: one, mode: FILE! } : { path, ...one },
  );
  const texts = await store.edit(
    await store.emptyTree(),
    entries.map(({ path, content }) => ({ path, content })),
  );
  const ids = new Map((await store.files(texts)).map((file) => [file.path, file]));
  const edits = entries.map(({ path, mode }) => ({ path, content: { ...ids.get(path)!, mode } }));
  return store.commit({ tree: await store.edit(texts, edits), parents, message: 'm', at: '2026-01-01T00:00:00Z' });
}

/** Both sides in one tree: what each file has, with its mode where that is not the usual one. */
async function both(before: Files, there: Files, own: Files): Promise<Record<string, unknown>> {
  const store = await nodeObjectStores(await tempFolder()).of('r');
  const base = await commitOf(store, before);
  const sides = {
    base,
    target: { commit: await commitOf(store, there, [base]), name: 'candidate' },
    own: { commit: await commitOf(store, own, [base]), name: 'wu-1' },
  };
  const { tree } = await markedTree(store, sides);
  const shown = (await store.files(tree)).map(async ({ path, id, mode }) => {
    const text = (await store.read(id)).toString('latin1');
    return [path, mode === FILE ? text : [mode, text]] as const;
  });
  return Object.fromEntries(await Promise.all(shown));
}

describe('both sides of a conflict in one tree', () => {
  it('has what is no text as it is on the target', async () => {
    const bytes = (n: number): Buffer => Buffer.from([0, n, 255]);
    expect(await both({ a: bytes(1) }, { a: bytes(2) }, { a: bytes(3) })).toEqual({ a: '\0\x02\xff' });
    const link = (content: string) => ({ l: { mode: LINK!, content } });
    expect(await both(link('x'), link('there'), link('own'))).toEqual({ l: [LINK, 'there'] });
  });

  it('has a file that one of both has removed as it is on the target', async () => {
    expect(await both({ a: '1\n', b: '' }, { b: '' }, { a: 'own\n', b: '' })).toEqual({ b: '' });
    expect(await both({ a: '1\n' }, { a: 'there\n' }, {})).toEqual({ a: 'there\n' });
  });

  it('has what one of both has renamed at its new name, with marks where it is text', async () => {
    const [there, own] = [LINES.replace('5', 'there'), LINES.replace('5', 'own')];
    const marked = LINES.replace('5\n', MARKED);
    expect(await both({ a: LINES }, { moved: there }, { a: own })).toEqual({ moved: marked });
    expect(await both({ a: LINES }, { a: there }, { moved: own })).toEqual({ moved: marked });
    const bytes = (n: number): Buffer => Buffer.from([...Buffer.from(LINES.repeat(9)), 0, n]);
    const [first, second] = [bytes(1), bytes(2)].map((one) => one.toString('latin1'));
    expect(await both({ a: bytes(0) }, { moved: bytes(1) }, { a: bytes(2) })).toEqual({ moved: first });
    expect(await both({ a: bytes(0) }, { a: bytes(1) }, { moved: bytes(2) })).toEqual({ moved: second });
  });

  it('has none of two new names that both have given to a file but as it is on the target', async () => {
    expect(await both({ a: LINES }, { there: LINES }, { own: LINES })).toEqual({ there: LINES });
  });

  it('has a program with marks as a program', async () => {
    const program = (content: string) => ({ run: { mode: PROGRAM!, content } });
    expect(await both(program('1\n'), program('there\n'), program('own\n'))).toEqual({ run: [PROGRAM, MARKED] });
    expect(await both({ run: '1\n' }, program('there\n'), { run: 'own\n' })).toEqual({ run: [PROGRAM, MARKED] });
  });

  it('has a file as on the target where the other one has a folder of its name', async () => {
    expect(await both({ b: '' }, { b: '', a: 'there\n' }, { b: '', 'a/own': 'own\n' })).toMatchObject({ a: 'there\n' });
  });
});
