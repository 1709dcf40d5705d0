/** What README.md and docs/guide say to do in a shell is done as it stands, on other ports. */
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { tempFolder } from '../support/temp-folder.js';
import { blocksOf, onFreePorts, projectFolder, runProgram, runShell, writeProgram } from './page-code.js';

it('README.md installs Weft into a project beside this checkout', async () => {
  const parent = await tempFolder();
  const project = join(parent, 'project');
  await mkdir(project);
  await symlink(checkout.replace(/\/$/, ''), join(parent, 'weft'));
  const [, install = ''] = blocksOf('README.md', 'sh');
  const [build = '', ...rest] = install.trimEnd().split('\n');
  // What the tests run in was built that way already.
  expect(build).toBe('(cd ../weft && npm ci && npm run build)');
  const said = await runShell(project, [...rest, 'npx weft --version', 'npx weft demo --json'].join('\n'));
  expect(said).toMatch(/^weft \d+\.\d+\.\d+$/m);
  expect(said).toContain('"passed":true');
}, 180_000);

it('docs/guide/room-server.md starts a server and gives rights, which the program of docs/guide/client.md uses', async () => {
  const folder = await projectFolder();
  const server = blocksOf('docs/guide/room-server.md', 'sh').join('\n');
  const client = blocksOf('docs/guide/client.md', 'ts').join('\n');
  const [commands = '', program = ''] = (await onFreePorts(`${server}\0${client}`, [7878])).split('\0');
  const name = await writeProgram(folder, program);
  const said = await runShell(folder, [commands, `node ${name}`].join('\n'), 'of this checkout');
  // The file that came back, and the title out of the saved replica.
  expect(said).toMatch(/^6$/m);
  expect(said.trimEnd().split('\n').at(-1)).toContain('Road map');
}, 60_000);

it('docs/guide/forges.md plays with a forge, clones, fetches and pushes', async () => {
  const folder = await projectFolder();
  const commands = blocksOf('docs/guide/forges.md', 'sh').join('\n');
  const elsewhere = commands.replace('--agents off >', '--agents off --listen 127.0.0.1:7880 >');
  const roots = `export WEFT_ROOTS="${folder}"`;
  const said = await runShell(folder, await onFreePorts(`${roots}\n${elsewhere}`, [7880]), 'of this checkout');
  expect(said).toContain('"passed":true');
  expect(said).toContain('origin/main is at ');
  expect(said).toContain('origin/from-weft has your work');
}, 170_000);

it('docs/guide/studio.md shows a demonstration, and has a studio take a goal', async () => {
  const folder = await projectFolder();
  const commands = blocksOf('docs/guide/studio.md', 'sh').join('\n');
  const elsewhere = commands.replace(/(--model \S+) >/, '$1 --listen 127.0.0.1:7880 >');
  const said = await runShell(folder, await onFreePorts(elsewhere, [7880]), 'of this checkout');
  expect(said).toContain('"passed":true');
  expect(said).toContain('Show results with two decimals');
  const status = JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8')) as object;
  expect(status).toMatchObject({ goals: [{ goal: 'Show results with two decimals' }] });
}, 120_000);

it('docs/guide/entry.md starts a server that asks for tokens, and says what it would do with a provider', async () => {
  const commands = blocksOf('docs/guide/entry.md', 'sh').join('\n');
  const said = await runShell(await projectFolder(), await onFreePorts(commands, [7878]), 'of this checkout');
  expect(said).toContain('"jwt-issuer": "https://id.example"');
}, 60_000);

it('cli/README.md shows its help and a demonstration', async () => {
  const said = await runShell(await projectFolder(), blocksOf('cli/README.md', 'sh').join('\n'), 'of this checkout');
  expect(said).toMatch(/^Usage: weft/m);
  expect(said).toContain('"passed":true');
}, 60_000);

it('studio/README.md starts a studio, which the client of client/studio/README.md asks, and a shell', async () => {
  const folder = await projectFolder();
  const [program = ''] = blocksOf('studio/README.md', 'ts');
  const [client = ''] = blocksOf('client/studio/README.md', 'ts');
  const [shell = ''] = blocksOf('studio/README.md', 'sh');
  const [studio = '', asking = '', commands = ''] = (
    await onFreePorts(
      [program.replace("folder: 'weft-data'", "folder: 'weft-data', listen: '127.0.0.1:7880'"), client, shell].join(
        '\0',
      ),
      [7880],
    )
  ).split('\0');
  const project = join(folder, 'project');
  await mkdir(project);
  // The one process is both, so that what it has started ends with it.
  const source = `${studio}
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
const answer = await new Promise((resolve, reject) => {
  const commands = ${JSON.stringify(commands.replaceAll('/srv/project', project))};
  execFile('bash', ['-c', commands], (failed, out) => (failed ? reject(failed) : resolve(out)));
});
console.log(answer);
process.env['WEFT_TOKEN'] = JSON.parse(readFileSync('weft-data/studio.tokens.json', 'utf8')).operate;
{
${asking.replace(/^import .*$/m, "const { createStudioClient } = await import('@weft/studio-client');")}
console.log('asked', items.length);
}
process.exit();`;
  const said = await runProgram(folder, source);
  expect(said).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/studio\n/);
  expect(said).toContain('"label":"project"');
  expect(said).toContain('asked 0');
}, 60_000);
