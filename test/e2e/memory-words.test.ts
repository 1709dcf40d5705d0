/** What is remembered of a repository, at a terminal. */
import { expect, it } from 'vitest';
import { blocksOf } from '../docs/page-code.js';
import { scriptedStudio } from '../support/servers/scripted-studio.js';

it('a person adds a memory, lists, changes and removes it, by the beginning of its id', async () => {
  const { weft, repository } = await scriptedStudio(['--unconfined']);
  expect((await weft(['memory', 'list'])).out).toBe('nothing is remembered, and nothing is proposed to be');
  await weft(['studio', 'repository', 'register', '--path', repository]);
  const added = await weft(['memory', 'add', 'Tests need a database.', '--repo', repository]);
  expect(added).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^mem-[0-9a-f]{16} is told to later work$/) as string,
  });
  const id = added.out.slice(0, 10);
  expect((await weft(['memory', 'list', '--repo', repository])).out).toMatch(
    /^mem-\w+ +confirmed +Tests need a database\.$/m,
  );
  await weft(['memory', 'confirm', id, '--text', 'Tests need PostgreSQL.']);
  const [listed] = JSON.parse((await weft(['memory', 'list', '--json'])).out) as object[];
  expect(listed).toMatchObject({ status: 'Confirmed', version: 2, text: 'Tests need PostgreSQL.' });
  expect(await weft(['memory', 'refuse', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('remove it instead') as string,
  });
  expect((await weft(['memory', 'remove', id])).out).toMatch(/is told no more$/);
  expect((await weft(['memory', 'list'])).out).toContain('nothing is remembered');
  expect(await weft(['memory', 'confirm', 'mem-none'])).toMatchObject({
    err: expect.stringContaining('there is no memory mem-none') as string,
  });
});

it('docs/guide/agents.md says the words as they are', async () => {
  const { weft, repository } = await scriptedStudio(['--unconfined']);
  await weft(['studio', 'repository', 'register', '--path', repository]);
  const { out: id } = await weft(['memory', 'add', 'Tests need a database.']);
  const said = blocksOf('docs/guide/agents.md', 'sh').join('').split('\n');
  const lines = said.filter((line) => line.startsWith('weft memory')).map((line) => line.replace(/ #.*/, ''));
  expect(lines.map((line) => line.split(' ')[2])).toEqual(['list', 'confirm', 'refuse', 'add', 'remove']);
  for (const line of lines) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const { code, err } = await weft(words.slice(1).map((word) => (word === 'mem-1f0c' ? id.slice(0, 10) : word)));
    // It stands, since a person has added it.
    if (words[2] === 'refuse') expect(err).toContain('remove it instead');
    else expect([line, code, err]).toEqual([line, 0, '']);
  }
});
