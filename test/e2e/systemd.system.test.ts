/** What docs/guide/operating.md says about systemd is done by a real one, with the unit and the executable as they are. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { section } from '../support/guide.js';
import { Machine, canBoot } from '../support/machine.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const READY = `timeout 20 sh -c 'until curl -sf http://127.0.0.1:7490/metrics > /dev/null; do sleep 0.1; done'`;

beforeAll(() => promisify(execFile)(process.execPath, [join(root, '.ci/binary.mjs')]), 120_000);

it.skipIf(!(await canBoot()))(
  'systemd runs the unit as the guide has it: installed, asked, backed up, updated, drained',
  async () => {
    const machine = await Machine.boot(root);
    const { blocks } = await section('As a service');
    expect(blocks.length).toBeGreaterThan(2);
    await machine.run(blocks.join('\n'), root);
    // systemd's words for an end with 0, and within the time that it was given.
    expect(await machine.run('journalctl -u weft -n 2')).toContain('weft.service: Deactivated successfully.');
    await machine.run('weft restore --store /tmp/data /var/lib/weft-backups/first && weft doctor --store /tmp/data');
    expect(await machine.run('stat -Lc %a /var/lib/weft && stat -c %a /var/lib/weft/admin.key')).toBe('700\n600\n');

    await machine.run(`systemctl start weft; ${READY}; systemctl kill -s KILL weft`);
    const again = 'until systemctl show weft -p NRestarts | grep -q =1; do sleep 0.1; done';
    await machine.run(`timeout 20 sh -c '${again}'; ${READY}`);
    // It has no way out of its own places, and says so.
    for (const [folder, said] of [
      ['/srv/copy', /weft: cannot write \/srv\/copy: the disk is read-only; .* name a folder elsewhere/],
      ['/tmp/copy', /weft: the server has written \/tmp\/copy where only it sees it/],
    ] as const)
      await expect(machine.run(`weft backup --store /var/lib/weft ${folder}`)).rejects.toThrow(said);
  },
  120_000,
);
