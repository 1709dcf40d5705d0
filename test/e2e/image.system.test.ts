/**
 * What docs/guide/operating.md and deploy/compose/README.md say about containers is done with podman under the name of docker. Images are
 * not fetched: those of the same names are made of this machine's Node, PostgreSQL, nats-server and HAProxy.
 */
import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { section } from '../support/guide.js';
import { Machine, canBoot } from '../support/machine.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const support = join(root, 'test/support');
const ROOMS = 'plans notes drafts letters lists';

describe.skipIf(!(await canBoot()))('in containers', () => {
  let machine: Machine;
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  beforeAll(async () => {
    machine = await Machine.boot(root, (end) => ends.push(end));
    const { stdout: npm } = await promisify(execFile)('npm', ['root', '--global']);
    const npmFolder = dirname(await realpath(`${npm.trim()}/npm/package.json`));
    await machine.run(`sh ${support}/base-image.sh ${process.execPath} ${npmFolder}`, root);
    const [build = ''] = (await section('In a container')).blocks;
    // Packages come over this machine's network where its npm does not have them already.
    await machine.run(build, root, 'outside');
  }, 900_000);

  it('the container of the image starts, is asked, is well, and stops as the guide has it', async () => {
    const [, run = ''] = (await section('In a container')).blocks;
    await machine.run(run, root);
    expect(await machine.run("docker inspect weft -f '{{.State.ExitCode}} {{.Config.User}}'")).toBe('0 node\n');
    await machine.run('docker start weft');
    await machine.run(`timeout 20 sh -c 'until docker healthcheck run weft; do sleep 0.2; done'`);
    const asked = await machine.run('docker exec weft sh -c "ls /backups/first/backup.json; id -u"; docker stop weft');
    expect(asked).toMatch(/json\n1000\n/);
  }, 120_000);

  it('compose.yaml brings three processes up behind a balancer; one that is killed is not missed, and is found again at another address', async () => {
    await machine.run(`sh ${support}/stand-ins/images.sh`);
    await machine.run('systemd-run --unit=engine podman system service -t 0 unix:///run/engine.sock');
    const readme = await readFile(join(root, 'deploy/compose/README.md'), 'utf8');
    const [, begin = ''] = /```sh\ndocker build .*\ncd deploy\/compose\n([^`]*)```/.exec(readme) ?? [];
    // Two descriptors for each connection are more than this machine may give.
    const copied = 'cp -r deploy/compose /tmp/ && sed -i "s/maxconn 20000/maxconn 200/" /tmp/compose/haproxy.cfg';
    await machine.run(copied, root);
    const variables = /^export (.*)$/m.exec(begin)?.[1] ?? '';
    const compose = (words: string): Promise<string> =>
      machine.run(`export DOCKER_HOST=unix:///run/engine.sock ${variables}\n${words}`, '/tmp/compose');
    const client = (words: string): Promise<string> =>
      machine.run(`timeout 60 node ${support}/programs/in-rooms.mjs ${words} ${ROOMS}`);
    const all = (value: string): string => `${ROOMS.replaceAll(/\w+/g, value)}\n`;
    const address = (): Promise<string> =>
      machine.run("docker inspect compose_weft-1_1 -f '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'");

    await compose(begin);
    expect(await client('write ws://localhost:8080 first')).toBe(all('first'));
    const before = await address();
    await compose('docker compose kill weft-1');
    expect(await client('read ws://localhost:8080 first')).toBe(all('first'));
    await client('write ws://localhost:8080 second');
    await compose('docker compose start weft-1');
    expect(await address()).not.toBe(before);
    await compose('docker compose kill weft-2 weft-3');
    expect(await client('read ws://localhost:8080 second')).toBe(all('second'));
    // Whoever waited for the database did not begin before it was there.
    expect(await machine.run('docker logs compose_weft-1_1')).not.toContain('does not answer');
    await machine.run(`timeout 20 sh -c 'until docker healthcheck run compose_weft-1_1; do sleep 0.2; done'`);
    await compose('docker compose down --volumes');
    expect(await machine.run("docker ps --all --format '{{.Names}}'")).toBe('weft\n');
    expect(await machine.run('docker volume ls --quiet')).not.toContain('compose_');
  }, 300_000);
});
