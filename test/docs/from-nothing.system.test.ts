/** The beginning of docs/guide/client.md, done as it stands: from an empty folder to two pages that type into one editor. */
import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkout } from '../architecture/source-tree.js';
import { browser } from '../support/browsers/browser.js';
import { tempFolder } from '../support/temp-folder.js';
import { blocksOf, commandsIn, onFreePorts, runShell } from './page-code.js';

const PAGE = 'docs/guide/client.md';
const MOST_LINES = 10;

/** Starts a command as in a terminal of its own, whose input stays open: what it starts ends with it. */
function begin(command: string, cwd: string): void {
  const { pid } = spawn('bash', ['-c', command], { cwd, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  onTestFinished(() => void process.kill(-pid!, 'SIGKILL'));
}

it('an empty folder becomes two pages that type into one CodeMirror, by at most ten lines', async () => {
  const parent = await tempFolder();
  const folder = join(parent, 'project');
  await mkdir(folder);
  await symlink(checkout.replace(/\/$/, ''), join(parent, 'weft'));
  const [install = '', start = ''] = blocksOf(PAGE, 'sh');
  const [script = ''] = blocksOf(PAGE, 'js');
  const [html = ''] = blocksOf(PAGE, 'html');
  const own = `${script}${html}`.split('\n').filter((line) => line.trim() !== '');
  expect(own.length).toBeLessThanOrEqual(MOST_LINES);

  const [build, ...rest] = commandsIn(install);
  // What the tests run in was built that way already.
  expect(build).toBe('(cd ../weft && npm ci && npm run build)');
  await runShell(folder, rest.join('\n'));
  const [commands = '', code = '', address = ''] = (
    await onFreePorts([start, script, 'http://127.0.0.1:8000'].join('\0'), [7878, 8000])
  ).split('\0');
  await writeFile(join(folder, 'page.js'), code);
  await writeFile(join(folder, 'index.html'), html);
  // The server listens where the page looks for it.
  const [, rooms = ''] = /ws:\/\/([\d.:]+)/.exec(code) ?? [];
  for (const command of commandsIn(commands))
    begin(command.replace(/weft serve/, `weft serve --listen ${rooms}`), folder);

  const faults: string[] = [];
  const chromium = await browser();
  const person = async () => {
    const context = await chromium.newContext();
    context.on('weberror', (error) => faults.push(String(error.error())));
    const page = await context.newPage();
    await expect
      .poll(() =>
        page
          .goto(address)
          .then((answer) => answer?.ok())
          .catch(() => false),
      )
      .toBe(true);
    await page.waitForSelector('.cm-content');
    return page;
  };
  const [one, two] = [await person(), await person()];
  await one.click('.cm-content');
  await one.keyboard.type('hello');
  await expect.poll(() => two.textContent('.cm-content')).toBe('hello');
  await two.click('.cm-content');
  await two.keyboard.press('End');
  await two.keyboard.type(' world');
  await expect.poll(() => one.textContent('.cm-content')).toBe('hello world');
  expect(faults).toEqual([]);
}, 180_000);
