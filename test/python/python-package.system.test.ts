/** The Python client as a package: its types, its installation, and the vectors of packs. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { PYTHON, pythonEnvironment } from './python-peer.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../client/python', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const kit = fileURLToPath(new URL('../../conformance', import.meta.url));

describe('the Python client', () => {
  it('[ND1] its types hold, strictly, with what uses it', async () => {
    const cache = await tempFolder();
    const files = ['weft_client', join(here, 'driver.py'), join(kit, 'run.py'), join(kit, 'play.py')];
    const flags = ['-m', 'mypy', '--cache-dir', cache, '--config-file', 'pyproject.toml'];
    const { stdout } = await run(PYTHON, [...flags, ...files], {
      cwd: folder,
      env: { ...pythonEnvironment, MYPYPATH: kit },
    });
    expect(stdout).toContain('Success: no issues found');
  });

  it('[ND1] pip installs it, and it is there without this repository', async () => {
    const [source, target] = [await tempFolder(), await tempFolder()];
    await cp(folder, source, { recursive: true });
    const offline = ['--no-index', '--no-build-isolation', '--no-deps', '--target', target];
    await run(PYTHON, ['-m', 'pip', 'install', ...offline, source], { cwd: target });
    const says = 'import weft_client; print(weft_client.__file__, len(weft_client.Keys.generate().public))';
    const { stdout } = await run(PYTHON, ['-c', says], { cwd: '/', env: { ...process.env, PYTHONPATH: target } });
    expect(stdout.trim()).toBe(`${join(target, 'weft_client', '__init__.py')} 32`);
  });
});
