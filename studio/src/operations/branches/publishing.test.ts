/** Forms in which work leaves this host, as real git reads what has come to a repository that real git serves. */
import { describe, expect, it } from 'vitest';
import { connected } from '../../testing/git/connected-repository.js';
import { git, writeFiles } from '../../testing/git/git-repository.js';
import { commitThere } from '../../testing/git/git-server.js';

const ADA = { name: 'Ada', email: 'ada@example.test' };
const BOB = { name: 'Bob', email: 'bob@example.test' };
const ONE_LINE_EACH = ['log', '--reverse', '--format=%an <%ae> %s'];

describe('work that leaves', () => {
  it.each([
    ['squash', 1],
    ['merge', 2],
    ['rebase', 1],
  ] as const)('as %s stands on top of what is there, as its settings say', async (shape, count) => {
    const { post, repositoryId, branch, bare, theirs, studio } = await connected();
    await branch('idea', { a: 'changed\n' });
    const newer = await commitThere(bare, theirs, { c: '3\n' }, 'theirs');
    const settings = {
      shape,
      branch: 'weft/{branch}',
      message: '{title} ({branch})\n\n{body}',
      author: ADA,
      coAuthors: [BOB],
    };
    const place = `/studio/repositories/${repositoryId}/publishing`;
    expect((await studio.call('PUT', place, { body: settings })).json).toEqual(settings);
    expect((await studio.call('GET', place)).json).toEqual(settings);
    const body = { branchId: 'idea', title: 'Change a', body: 'Because.' };
    await post(`repositories/${repositoryId}/fetch`);
    const one = await post(`repositories/${repositoryId}/push`, body);
    expect(one.json).toMatchObject({ branch: 'weft/idea', moved: true });
    expect(await git(bare, 'show', 'weft/idea:c')).toBe('3');
    expect(await git(bare, 'show', 'weft/idea:a')).toBe('changed');
    const parents = (await git(bare, 'log', '-1', '--format=%P', 'weft/idea')).split(' ');
    expect([parents[0], parents.length]).toEqual([newer, count]);
    expect(await git(bare, 'log', '-1', '--format=%an <%ae> %cn', 'weft/idea')).toBe('Ada <ada@example.test> Ada');
    const message = await git(bare, 'log', '-1', '--format=%B', 'weft/idea');
    expect(message.trimEnd().split('\n').at(-1)).toBe('Co-authored-by: Bob <bob@example.test>');
    if (shape !== 'rebase') expect(message).toContain('Change a (idea)\n\nBecause.');
    // Asked again, it is the same commit.
    expect((await post(`repositories/${repositoryId}/push`, body)).json).toEqual({
      ...(one.json as object),
      moved: false,
    });
  });

  it('as a rebase is each of its commits, with who wrote it and what was said, and without what is there already', async () => {
    const { post, repositoryId, branch, bare, theirs, folder } = await connected();
    // Commits of people, which the user has not pushed; the second has come there by another way.
    const commits = [
      [{ a: 'one\n' }, 'Eve <eve@example.test>', 'One\n\nIt was nought.'],
      [{ b: 'both\n' }, 'Eve <eve@example.test>', 'Both'],
      [{ c: 'three\n' }, 'Dan <dan@example.test>', 'Three'],
    ] as const;
    for (const [files, author, message] of commits) {
      await writeFiles(folder, files);
      await git(folder, 'add', '--all');
      await git(folder, 'commit', '--quiet', `--author=${author}`, `--message=${message}`);
    }
    const theirsNow = await commitThere(bare, theirs, { b: 'both\n' }, 'Both, there');
    await branch('idea', { d: 'four\n' });
    await post(`repositories/${repositoryId}/fetch`);
    const push = { branchId: 'idea', branch: 'line', shape: 'rebase', coAuthors: [BOB], author: ADA };
    expect((await post(`repositories/${repositoryId}/push`, push)).json).toMatchObject({ moved: true });
    // An author that is set is who wrote what the studio has made; people keep what is theirs.
    expect((await git(bare, ...ONE_LINE_EACH, `${theirsNow}..line`)).split('\n')).toEqual([
      'Eve <eve@example.test> One',
      'Dan <dan@example.test> Three',
      expect.stringMatching(/^Ada <ada@example.test> /),
    ]);
    expect(await git(bare, 'log', '-1', '--format=%b', 'line~2')).toBe(
      'It was nought.\n\nCo-authored-by: Bob <bob@example.test>',
    );
    expect(await git(bare, 'diff', '--stat', 'line', `${theirsNow}`, '--', 'b')).toBe('');
    expect(await git(bare, 'rev-parse', 'line~3')).toBe(theirsNow);
    // With nobody set, too.
    const plain = { branchId: 'idea', branch: 'plain', shape: 'rebase' };
    expect((await post(`repositories/${repositoryId}/push`, plain)).json).toMatchObject({ moved: true });
    expect((await git(bare, ...ONE_LINE_EACH, `${theirsNow}..plain`)).split('\n').slice(0, 2)).toEqual([
      'Eve <eve@example.test> One',
      'Dan <dan@example.test> Three',
    ]);
  });

  it('names its co-authors where git reads them, each once, whatever its message ends with', async () => {
    const { post, repositoryId, branch, bare } = await connected();
    await branch('idea', { a: 'changed\n' });
    await post(`repositories/${repositoryId}/fetch`);
    const messages = [
      'A title',
      'A title\n\nWhat was done.',
      'A title\n\nWhat was done,\nand last\nSee: the notes of yesterday',
      'A title\n\nReviewed-by: Eve <eve@example.test>',
      'fix: a title\nfor: two lines',
      'A title\n\nWhat was done.\n\nCo-authored-by: Bob <bob@example.test>',
    ];
    for (const [at, message] of messages.entries()) {
      const push = { branchId: 'idea', branch: `idea-${at}`, shape: 'squash', message, coAuthors: [BOB] };
      expect((await post(`repositories/${repositoryId}/push`, push)).json).toMatchObject({ moved: true });
      const shown = (format: string) => git(bare, 'log', '-1', `--format=${format}`, `idea-${at}`);
      expect(await shown('%(trailers:key=Co-authored-by,valueonly)'), message).toBe('Bob <bob@example.test>');
      expect(await shown('%B')).toContain(message);
    }
  });

  it('has no author of whom git would keep nothing, or another', async () => {
    const { studio, repositoryId, post } = await connected();
    const place = `/studio/repositories/${repositoryId}/publishing`;
    const wrong = ['.', ' ', '"\'', 'Ada\rBob', 'a\u0007b'].flatMap((name) => [
      { author: { ...ADA, name } },
      { coAuthors: [{ ...BOB, name }] },
    ]);
    for (const said of [...wrong, { author: { ...ADA, email: '.' } }]) {
      const answer = await studio.call('PUT', place, { body: said });
      expect(answer, answer.text).toMatchObject({ status: 400, json: { code: 'reject.invalid_input' } });
      const pushed = await post(`repositories/${repositoryId}/push`, { ...said, shape: 'squash' });
      expect(pushed, pushed.text).toMatchObject({ status: 400, json: { code: 'reject.invalid_input' } });
    }
    expect((await studio.call('GET', place)).json).toEqual({});
    const fine = { author: { name: 'Ada O’Neil, Jr.', email: 'ada+x@example.test' } };
    expect(await studio.call('PUT', place, { body: fine })).toMatchObject({ status: 200, json: fine });
  });
});
