/** What README.md and the guide about embedding show is run as it stands. What takes a shell is in guides.system.test.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { blocksOf, projectFolder, runProgram } from './page-code.js';

describe('README.md', () => {
  const [client = '', embedded = ''] = blocksOf('README.md', 'ts');
  const [goal = ''] = blocksOf('README.md', 'sh');
  const lines = (text: string): number => text.trimEnd().split('\n').length;

  it('is read in one go', () => {
    expect(lines(readFileSync(join(checkout, 'README.md'), 'utf8'))).toBeLessThanOrEqual(90);
    expect([client, embedded, goal].map(lines)).toEqual([8, 6, 4]);
  });

  it('has a client that writes to a server, as its second start finds', async () => {
    const folder = await projectFolder();
    const weft = new WeftProcess(['serve', '--store', 'memory', '--listen', '127.0.0.1:0']);
    const [, address = ''] = await weft.line(/^ws:\/\/([^/]+)\//);
    const entering = client.replace('127.0.0.1:7878', address);
    await runProgram(folder, `${entering}\nclient.close();`);
    const second = `${entering.slice(0, entering.indexOf('client.onChange'))}
console.log(client.replica.get('title'));
client.close();`;
    expect(await runProgram(folder, second)).toBe('Road map\n');
  });

  it('has a room in a process of its own', async () => {
    const source = `${embedded}\nawait host.close();`;
    expect(await runProgram(await projectFolder(), source)).toBe('Road map undefined\n');
  });

  it('has the words of the guide', () => {
    const guide = readFileSync(join(checkout, 'docs/guide/studio.md'), 'utf8');
    const words = goal.match(/weft (run|review)/g);
    expect(words).toHaveLength(2);
    for (const word of words ?? []) expect(guide).toContain(word);
  });
});

it('docs/guide/entry.md has a host that asks', async () => {
  const source = blocksOf('docs/guide/entry.md', 'ts').join('\n');
  const entered = `
import { testPeer } from '@weft/core/testing';
const peer = testPeer(host, 'room');
peer.send({ type: 'hello' });
console.log((await peer.next()).msg);
`;
  const [asking = '', rest = ''] = source.split(/^(?=await host\.recheck)/m);
  expect(await runProgram(await projectFolder(), `${asking}${entered}${rest}`)).toBe('auth: missing proof\n');
});

it('docs/guide/embedding.md is a program', async () => {
  const source = blocksOf('docs/guide/embedding.md', 'ts').join('\n');
  const said = await runProgram(await projectFolder(), source);
  expect(said).toMatch(/^Road map\nundefined\n/);
  expect(said).toContain("First, … [ 'Begin' ]");
  expect(said).toContain('FrontierQueried');
});
