/** What clients of the Model Context Protocol are told starts this very program, and other servers of theirs stay. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/programs/weft-process.js';
import { weft, weftJson } from '../support/programs/weft-run.js';

const args = [BIN, 'mcp', '--at', '7880'];

it('is printed for each client', async () => {
  for (const [name, under] of [
    ['claude', 'mcpServers'],
    ['cursor', 'mcpServers'],
    ['vscode', 'servers'],
  ] as const) {
    const { code, out } = await weft('mcp', 'install', name, '--at', '7880');
    expect([code, JSON.parse(out)]).toEqual([0, { [under]: { weft: { command: process.execPath, args } } }]);
  }
  const codex = await weft('mcp', 'install', 'codex', '--at', '7880');
  expect(codex.out).toBe(`[mcp_servers.weft]\ncommand = "${process.execPath}"\nargs = ${JSON.stringify(args)}`);
  expect(await weftJson('mcp', 'install', 'claude')).toMatchObject({ client: 'claude', file: '.mcp.json' });
  expect(await weft('mcp', 'install', 'emacs')).toMatchObject({ code: 2 });
});

it('is written beside what is there, and not over what cannot be read', async () => {
  const cwd = await tempFolder();
  const file = join(cwd, '.vscode', 'mcp.json');
  await mkdir(join(cwd, '.vscode'));
  await writeFile(file, '{ "servers": { "other": { "command": "x" } }, "inputs": [] }');
  const install = () => new WeftProcess(['mcp', 'install', 'vscode', '--write', '--at', '7880'], { cwd }).exited;
  expect(await install()).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    servers: { other: { command: 'x' }, weft: { command: process.execPath, args } },
    inputs: [],
  });
  await writeFile(file, '{ // mine\n}');
  expect(await install()).toMatchObject({ code: 2 });
  expect(await readFile(file, 'utf8')).toBe('{ // mine\n}');
});
