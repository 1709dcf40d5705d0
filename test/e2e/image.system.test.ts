/**
 * What docs/guide/operating.md says about containers is done with podman under the name of docker. The base of the image is not
 * fetched: one of the same name is made of this machine's Node, npm, and the libraries that they need.
 */
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { section } from '../support/guide.js';
import { Machine, canBoot } from '../support/machine.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = fileURLToPath(new URL('../support/base-image.sh', import.meta.url));

it.skipIf(!(await canBoot()))(
  'the image is built, and its container starts, is asked, is well, and stops as the guide has it',
  async () => {
    const machine = await Machine.boot(root);
    const docker = (command: string): Promise<string> => machine.run(command);
    const [build = '', run = ''] = (await section('In a container')).blocks;
    const { stdout: npm } = await promisify(execFile)('npm', ['root', '--global']);
    const npmFolder = dirname(await realpath(`${npm.trim()}/npm/package.json`));
    await machine.run(`sh ${script} ${process.execPath} ${npmFolder}`, root);
    // Packages come over this machine's network where its npm does not have them already.
    await machine.run(build, root, 'outside');
    await machine.run(run, root);
    expect(await docker("docker inspect weft -f '{{.State.ExitCode}} {{.Config.User}}'")).toBe('0 node\n');
    await docker('docker start weft');
    await docker(`timeout 20 sh -c 'until docker healthcheck run weft; do sleep 0.2; done'`);
    expect(await docker('docker exec weft sh -c "ls /backups/first/backup.json; id -u"')).toMatch(/json\n1000\n$/);
  },
  300_000,
);
