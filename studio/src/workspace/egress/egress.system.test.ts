/** Network of confined programs on this machine: servers of a list, by way of the proxy, and nothing else. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { nodeRunner } from '../programs/node-runner.js';
import type { Program } from '../programs/runner.js';
import { findConfinement } from '../sandbox/node-confinement.js';
import { allowedOf } from './allowed.js';
import type { RefusedProgram } from './egress.js';
import { type EgressOptions, NodeEgress } from './node-egress.js';

async function begun(options: (port: number) => EgressOptions, answer?: (request: IncomingMessage) => string | Buffer) {
  const base = await tempFolder();
  const folder = join(base, 'work');
  await mkdir(folder);
  const own = join(base, 'studio');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    response.end(answer?.(request) ?? `got ${request.url}\n`);
  });
  const port = await listening(server);
  const refused: RefusedProgram[] = [];
  const egress = await NodeEgress.open(join(own, 'egress'), {
    ...options(port),
    onRefused: (one) => refused.push(one),
  });
  onTestFinished(() => egress.close());
  const confinement = await findConfinement(own);
  const processes = new NodeProcesses(own, { graceMs: 200, confinement, egress });
  await processes.recover();
  onTestFinished(() => processes.close());
  const runner = nodeRunner(processes);
  const ended = async (command: string, more: Partial<Program> = {}) =>
    (await runner.run({ folder, command, timeoutMs: 60_000, mostBytes: 65_536, caches: 'r', ...more })).ended;
  return { base, folder, ended, asked, port, refused, egress };
}

async function listening(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Names that resolve where a test says, and nowhere else. */
const names = (table: Record<string, string>) => (host: string) =>
  table[host] === undefined ? Promise.reject(new Error('no such host')) : Promise.resolve([table[host]]);

/** Shell line that asks the proxy as a program does, and prints the whole answer. */
const said = (lines: string) => {
  const script = `const s=require('net').connect(new URL(process.env.HTTP_PROXY).port,'127.0.0.1');
    s.on('data',(b)=>process.stdout.write(b));s.on('close',()=>process.exit());s.on('error',()=>0);
    s.write(${JSON.stringify(lines.replaceAll('\n', '\r\n'))});setTimeout(()=>process.exit(),4000)`;
  return `node -e ${quoted(script)}`;
};
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const connectTo = (target: string) => said(`CONNECT ${target} HTTP/1.1\nHost: x\n\n`);

describe('a program whose network is a list', () => {
  it('installs a package of npm from a registry of the list, through the proxy, and from no other', async () => {
    const packed = await packedPackage();
    const it_ = await begun(
      (port) => ({
        registries: {
          allowed: [allowedOf(`http://registry.test:${port}`)!],
          files: [{ path: '.npmrc', text: `registry=http://registry.test:${port}/\n` }],
          environment: {},
        },
        lookup: names({ 'registry.test': '127.0.0.1' }),
      }),
      ({ url, headers }) =>
        url?.endsWith('.tgz')
          ? packed
          : JSON.stringify({
              name: 'left',
              'dist-tags': { latest: '1.0.0' },
              versions: {
                '1.0.0': { name: 'left', version: '1.0.0', dist: { tarball: `http://${headers.host}/left-1.0.0.tgz` } },
              },
            }),
    );
    await writeFile(join(it_.folder, 'package.json'), JSON.stringify({ dependencies: { left: '1.0.0' } }));
    const installed = await it_.ended('npm install --no-audit --no-fund 2>&1; node -p "require(\'left\')"');
    expect(installed.stdOut).toMatch(/here\n$/);
    expect(it_.asked).toContain(`GET registry.test:${it_.port} /left-1.0.0.tgz`);
    const from = '--registry http://other.test/ --fetch-retries=0';
    const other = await it_.ended(`npm install right ${from} 2>&1`);
    expect(other.stdOut).toContain('403');
    expect(other.stdErr).toContain('weft: no connection to other.test:80: it is not on the list\n');
    expect(it_.refused.map(({ target }) => target)).toContain('other.test:80');
  });

  it('is told what it may not reach, and how a person allows it', async () => {
    const { ended, port, asked, refused, folder } = await begun((port) => ({
      hosts: [`http://registry.test:${port}`],
      lookup: names({ 'registry.test': '127.0.0.1' }),
    }));
    expect((await ended(said(`GET http://registry.test:${port}/x HTTP/1.1\nHost: evil.test\n\n`))).stdOut).toContain(
      'got /x',
    );
    expect(asked).toEqual([`GET registry.test:${port} /x`]);
    const { stdOut } = await ended(said('GET http://evil.test/x HTTP/1.1\nHost: registry.test\n\n'), {
      repositoryId: 'r1',
    });
    expect(stdOut).toMatch(/^HTTP\/1\.1 403 weft: evil\.test:80 is not among.*registry\.test.*--sandbox-hosts/);
    expect(refused).toEqual([{ target: 'evil.test:80', why: 'it is not on the list', folder, repositoryId: 'r1' }]);
  });

  it.each([
    ['another host', 'CONNECT', 'evil.test:443'],
    ['another port', 'CONNECT', 'registry.test:22'],
    ['an address', 'CONNECT', '93.184.216.34:443'],
    ['this machine', 'CONNECT', '127.0.0.1:443'],
    ['this machine, written otherwise', 'CONNECT', '2130706433:443'],
    ['this machine in the other protocol', 'CONNECT', '[::ffff:127.0.0.1]:443'],
    ['metadata', 'CONNECT', '169.254.169.254:80'],
    ['a host that is suddenly this machine', 'CONNECT', 'rebound.test:443'],
    ['a host that is suddenly the metadata', 'CONNECT', 'metadata.test:443'],
    ['a host that is suddenly in the private network', 'CONNECT', 'private.test:443'],
    ['a host whose name ends alike', 'CONNECT', 'xregistry.test:443'],
    ['what is no host', 'CONNECT', 'registry.test:443@evil.test'],
  ])('%s is not reached', async (_, method, target) => {
    const lookups: Record<string, string> = { 'registry.test': '127.0.0.1' };
    const { ended, asked } = await begun(() => ({
      hosts: ['registry.test', 'rebound.test', 'metadata.test', 'private.test'],
      lookup: names(lookups),
    }));
    // Only after the studio has started.
    await new Promise((resolve) => setImmediate(resolve));
    Object.assign(lookups, {
      'rebound.test': '127.0.0.1',
      'metadata.test': '169.254.169.254',
      'private.test': '10.0.0.1',
    });
    const { stdOut } = await ended(said(`${method} ${target} HTTP/1.1\nHost: x\n\n`));
    expect(stdOut).toMatch(/^HTTP\/1\.1 40[03] weft: /);
    expect(asked).toEqual([]);
  });

  it('reaches nothing past the proxy: no server of this machine, no name, no socket of the system', async () => {
    const { ended, asked, port } = await begun(() => ({ hosts: ['registry.test'], lookup: names({}) }));
    const abstract = createNetServer((socket) => {
      asked.push('abstract');
      socket.end();
    });
    await new Promise<void>((resolve) => abstract.listen('\0weft-canary', resolve));
    onTestFinished(() => void abstract.close());
    const tries = [
      `node -e "fetch('http://127.0.0.1:${port}').then(()=>console.log('out'),()=>console.log('no'))"`,
      `node -e "require('net').connect('\\0weft-canary').on('connect',()=>console.log('out')).on('error',()=>console.log('no'))"`,
      `node -e "require('dns').lookup('example.com',(e)=>console.log(e?'no':'out'))"`,
      `node -e "const d=require('dgram').createSocket('udp4');d.send('x',53,'8.8.8.8',(e)=>{console.log(e?'no':'out');d.close()})"`,
      `env -u HTTP_PROXY -u http_proxy curl -s http://127.0.0.1:${port} && echo out || echo no`,
    ];
    for (const one of tries) expect((await ended(one)).stdOut, one).toBe('no\n');
    expect(asked).toEqual([]);
  });

  it('finds a registry of this machine where it is, and nothing else of this machine', async () => {
    const { ended, port, asked } = await begun((at) => ({ hosts: [`http://localhost:${at}`] }));
    const other = await listening(createServer((_, response) => response.end('other')));
    const ask = (at: number) =>
      `node -e "fetch('http://127.0.0.1:${at}/y').then((r)=>r.text()).then(console.log,()=>console.log('no'))"`;
    expect(await ended(ask(port))).toMatchObject({ stdOut: 'got /y\n\n' });
    expect(asked).toHaveLength(1);
    expect(await ended(ask(other))).toMatchObject({ stdOut: 'no\n' });
  });

  it('has more servers where a person has allowed its repository more', async () => {
    const { ended, port } = await begun((at) => ({
      hostsOf: (id) => (id === 'r1' ? [`http://mine.test:${at}`] : []),
      lookup: names({ 'mine.test': '127.0.0.1' }),
    }));
    const ask = said(`GET http://mine.test:${port}/z HTTP/1.1\nHost: x\n\n`);
    expect((await ended(ask, { repositoryId: 'r2' })).stdOut).toContain('403');
    expect((await ended(ask, { repositoryId: 'r1' })).stdOut).toContain('got /z');
  });

  it('runs as it would without: its output, its end, its children, and nothing left', async () => {
    const { ended } = await begun(() => ({ hosts: ['registry.test'], lookup: names({}) }));
    expect(await ended('echo out; echo err >&2; exit 7')).toMatchObject({
      exitCode: 7,
      stdOut: 'out\n',
      stdErr: 'err\n',
    });
    expect((await ended('cat; sh -c "wait; kill -TERM $$"')).exitCode).not.toBe(0);
    // The bridge is no child of the program.
    const { stdOut } = await ended(
      'cat /proc/self/stat > /dev/null; for p in /proc/[0-9]*; do cut -d" " -f2,4 $p/stat; done',
    );
    expect(stdOut).toMatch(/\(perl\) 1\n/);
    expect((await ended('no-such-program-here')).exitCode).toBe(127);
    expect((await ended(connectTo('registry.test:443'))).stdOut).toContain('502');
  });
});

async function packedPackage(): Promise<Buffer> {
  const folder = join(await tempFolder(), 'package');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'left', version: '1.0.0', main: 'i.js' }));
  await writeFile(join(folder, 'i.js'), "module.exports = 'here'\n");
  const options = { cwd: join(folder, '..'), encoding: 'buffer', maxBuffer: 1 << 20 } as const;
  const { stdout } = await promisify(execFile)('tar', ['czf', '-', 'package'], options);
  return stdout;
}
