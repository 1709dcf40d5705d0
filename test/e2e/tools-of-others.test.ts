/** Servers of tools, added at a terminal as docs/guide/agents.md says. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { blocksOf } from '../docs/page-code.js';
import { scriptedStudio } from '../support/servers/scripted-studio.js';

const require = createRequire(import.meta.url);
const script = fileURLToPath(new URL('../../studio/src/testing/doors/tool-server.mjs', import.meta.url));
const library = ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'].map((name) =>
  require.resolve(name).replace(/\.cjs$/, '.mjs'),
);
const command = JSON.stringify([process.execPath, script, ...library]);

it('a person adds a server of tools, allows some, lists what there is and takes it away', async () => {
  const { weft, repository } = await scriptedStudio(['--unconfined']);
  expect((await weft(['tools', 'list'])).out).toContain('weft tools add gives them some');
  await weft(['studio', 'repository', 'register', '--path', repository]);
  const lines = blocksOf('docs/guide/agents.md', 'sh').flatMap((block) => block.match(/^weft tools .*$/gm) ?? []);
  expect(lines).toHaveLength(3);
  const said: string[] = [];
  for (const line of lines) {
    const words = (line.replace(/ #.*/, '').match(/'[^']*'|\S+/g) ?? []).slice(1);
    const args = words.map((word) => {
      if (word.startsWith("'")) return command;
      if (word === 'search,read') return 'echo,count';
      return word === '../my-project' ? repository : word;
    });
    const { code, out, err } = await weft(args);
    expect(code, err).toBe(0);
    said.push(`${out}\n${err}`);
  }
  const [shown = '', allowed = '', listed = ''] = said;
  expect(shown).toMatch(/^tool +allowed +what it says of it\necho +no +Says what it is told\./);
  expect(shown).toContain('add it again, with --allow');
  expect(allowed).toMatch(/^echo +yes/m);
  expect(allowed).not.toContain('add it again');
  expect(listed).toMatch(/^docs +.*tool-server\.mjs.* +there +echo, count$/m);
  expect((await weft(['tools', 'remove', 'docs'])).out).toBe('agents are no longer offered the tools of docs');
  expect(await weft(['tools', 'remove', 'docs'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no tool server is called docs') as string,
  });
});

it('what is given wrongly is said', async () => {
  const { weft } = await scriptedStudio(['--unconfined']);
  const wrong = async (...args: string[]): Promise<string> => (await weft(['tools', 'add', 'docs', ...args])).err;
  expect(await wrong()).toContain('give command or url');
  expect(await wrong('--command', '[1')).toContain('--command takes words, or a JSON array');
  expect(await wrong('--command', command, '--keys', 'A')).toContain('--keys takes VARIABLE=name');
  expect(await wrong('--command', command, '--seconds', 'x')).toContain('--seconds takes a number');
  expect(await wrong('--url', 'https://tools.example.org/mcp')).toContain('not among the hosts that are allowed');
  expect(await wrong('--command', join('/nowhere', 'at', 'all'))).toMatch(/could not be started/);
});
