/** Registries that ask who one is, over TLS with certificates of an authority of one's own, used by confined programs that have no login. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type RequestListener, createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { nodeRunner } from '../programs/node-runner.js';
import { findConfinement } from '../sandbox/node-confinement.js';
import { CertificateAuthority } from './certificates.js';
import { NodeEgress } from './node-egress.js';
import { registriesOf } from './node-registries.js';

const TOKEN = ['a', 'token', 'of', 'mine'].join('-');
const run = promisify(execFile);

interface Asked {
  readonly line: string;
  readonly authorization: string | undefined;
}

/** A registry that lets nobody in without a login, and what was asked of it. */
async function registry(authority: CertificateAuthority | undefined, wanted: string, answer: RequestListener) {
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => {
    const { authorization } = request.headers;
    asked.push({ line: `${request.method} ${request.url}`, authorization });
    if (authorization === wanted) answer(request, response);
    else response.writeHead(401).end('{"error":"who are you?"}');
  };
  const server = authority
    ? createSecureServer({ SNICallback: (name, done) => done(null, authority.contextOf(name)) }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, port: (server.address() as AddressInfo).port };
}

/** A confined program, by the settings in a home of the user. */
async function inside(settings: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>>) {
  const base = await tempFolder();
  const [folder, own, home] = [join(base, 'work'), join(base, 'studio'), join(base, 'home')];
  for (const path of [folder, home]) await mkdir(path);
  for (const [name, text] of Object.entries(settings)) {
    await mkdir(join(home, name, '..'), { recursive: true });
    await writeFile(join(home, name), text);
  }
  const registries = await registriesOf(home, environment);
  const lookup = (name: string) =>
    name.endsWith('.test') || name === 'localhost'
      ? Promise.resolve(['127.0.0.1'])
      : Promise.reject(new Error('no such host'));
  const egress = await NodeEgress.open(join(own, 'egress'), { registries, lookup });
  onTestFinished(() => egress.close());
  const processes = new NodeProcesses(own, { graceMs: 200, confinement: await findConfinement(own), egress });
  await processes.recover();
  onTestFinished(() => processes.close());
  const ended = async (command: string) =>
    (await nodeRunner(processes).run({ folder, command, timeoutMs: 100_000, mostBytes: 65_536, caches: 'r' })).ended;
  return { folder, ended };
}

/** A package of npm, packed. */
async function packedPackage(): Promise<Buffer> {
  const folder = await tempFolder();
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: '@corp/left', version: '1.0.0', main: 'i.js' }));
  await writeFile(join(folder, 'i.js'), "module.exports = 'here';\n");
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: folder });
  return readFile(join(folder, stdout.trim()));
}

async function authorityFile(): Promise<{ authority: CertificateAuthority; file: string }> {
  const authority = new CertificateAuthority();
  const file = join(await tempFolder(), 'corp.pem');
  await writeFile(file, authority.pem);
  return { authority, file };
}

it('npm installs from one over TLS, with a lock file that names its true address; the token is nowhere inside, and publishes nothing', async () => {
  const { authority, file } = await authorityFile();
  const packed = await packedPackage();
  const { asked, port } = await registry(authority, `Bearer ${TOKEN}`, ({ url, headers }, response) => {
    if (url?.endsWith('.tgz')) return void response.end(packed);
    const tarball = `https://${headers.host}/npm/@corp/left/-/left-1.0.0.tgz`;
    const version = { name: '@corp/left', version: '1.0.0', dist: { tarball } };
    response.end(
      JSON.stringify({ name: '@corp/left', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
    );
  });
  const at = `registry.test:${port}/npm/`;
  const { folder, ended } = await inside(
    { '.npmrc': `@corp:registry=https://${at}\n//${at}:_authToken=\${CORP_TOKEN}\ncafile=${file}\n` },
    { CORP_TOKEN: TOKEN },
  );
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'mine', version: '1.0.0', dependencies: { '@corp/left': '1.0.0' } }),
  );
  const quiet = '--no-audit --no-fund --fetch-retries=0';
  const installed = await ended(`npm install ${quiet} 2>&1; node -p "require('@corp/left')"`);
  expect(installed.stdOut).toMatch(/here\n$/);
  expect(await readFile(join(folder, 'package-lock.json'), 'utf8')).toContain(
    `https://${at}@corp/left/-/left-1.0.0.tgz`,
  );
  const again = await ended(`rm -rf node_modules ~/.npm; npm ci ${quiet} 2>&1; node -p "require('@corp/left')"`);
  expect(again.stdOut).toMatch(/here\n$/);
  const seen = await ended(
    'env; cat ~/.npmrc; cat ~/.weft/*; grep -r of-mine ~ . /run /tmp 2>/dev/null; cat /proc/*/environ',
  );
  expect(seen.stdOut).toContain('@corp:registry=');
  expect(seen.stdOut).not.toContain(TOKEN);
  const before = asked.length;
  const published = await ended(`npm pkg set name=@corp/evil; npm publish ${quiet} --//${at}:_authToken= 2>&1; true`);
  expect(published.stdOut).toMatch(/405|ENEEDAUTH/);
  const put = `fetch('https://${at}x', { method: 'PUT', body: '{}' }).then(async (r) => console.log(r.status, await r.text()), (e) => console.log(e.cause ?? e))`;
  await ended(`NODE_USE_ENV_PROXY=1 node -e "${put}"`);
  expect(asked.slice(before).filter(({ line }) => !line.startsWith('GET '))).toEqual([]);
});

it('Python reads one whose address holds a name and a password, and a program that names its own login is let through as it is', async () => {
  const { authority, file } = await authorityFile();
  const wanted = `Basic ${Buffer.from(`ann:${TOKEN}`).toString('base64')}`;
  const { asked, port } = await registry(
    authority,
    wanted,
    (_, response) => void response.end('<a href="x.whl">x</a>'),
  );
  const { ended } = await inside(
    { '.config/pip/pip.conf': `[global]\nindex-url = https://ann:${TOKEN}@pip.test:${port}/simple\ncert = ${file}\n` },
    {},
  );
  const reading = (more = '') =>
    `python3 -c "import urllib.request as u; print(u.urlopen(u.Request('https://pip.test:${port}/simple/'${more})).read())" 2>&1`;
  expect((await ended(reading())).stdOut).toContain('x.whl');
  expect((await ended(reading(", headers={'Authorization': 'Basic eDp5'}"))).stdOut).toContain('401');
  expect(asked.map(({ authorization }) => authorization)).toEqual([wanted, 'Basic eDp5']);
  expect((await ended('cat ~/.config/pip/pip.conf; env')).stdOut).not.toContain(TOKEN);
});

it('one of this machine over http is read at its own port', async () => {
  const { asked, port } = await registry(undefined, `Bearer ${TOKEN}`, (_, response) => void response.end('in'));
  const { ended } = await inside(
    { '.npmrc': `registry=http://localhost:${port}/\n//localhost:${port}/:_authToken=${TOKEN}\n` },
    {},
  );
  const ask = (method: string) =>
    `node -e "fetch('http://localhost:${port}/x', { method: '${method}' }).then(async (r) => console.log(r.status, await r.text()))"`;
  expect((await ended(ask('GET'))).stdOut).toBe('200 in\n');
  expect((await ended(ask('PUT'))).stdOut).toContain('405 weft: the login of the user at localhost');
  expect(asked.map(({ line }) => line)).toEqual(['GET /x']);
});

it('one whose certificate nobody vouches for is not sent the login', async () => {
  const { asked, port } = await registry(
    new CertificateAuthority(),
    `Bearer ${TOKEN}`,
    (_, response) => void response.end(),
  );
  const { ended } = await inside(
    { '.npmrc': `registry=https://registry.test:${port}/\n//registry.test:${port}/:_authToken=${TOKEN}\n` },
    {},
  );
  const { stdOut } = await ended('npm view left --fetch-retries=0 2>&1');
  expect(stdOut).toMatch(/502|not who it should be/);
  expect(asked).toEqual([]);
});

it('cargo fetches a crate of one that wants a token, which cargo never has', async () => {
  const { authority, file } = await authorityFile();
  const base = await tempFolder();
  await mkdir(join(base, 'left-1.0.0', 'src'), { recursive: true });
  await writeFile(
    join(base, 'left-1.0.0', 'Cargo.toml'),
    '[package]\nname = "left"\nversion = "1.0.0"\nedition = "2021"\n',
  );
  await writeFile(join(base, 'left-1.0.0', 'src', 'lib.rs'), 'pub fn here() {}\n');
  await run('tar', ['-czf', join(base, 'left.crate'), '-C', base, 'left-1.0.0']);
  const packed = await readFile(join(base, 'left.crate'));
  const cksum = createHash('sha256').update(packed).digest('hex');
  const { asked, port } = await registry(authority, TOKEN, ({ url, headers }, response) => {
    const at = `https://${headers.host}`;
    if (url === '/index/config.json') response.end(JSON.stringify({ dl: `${at}/dl`, 'auth-required': true }));
    else if (url === '/index/le/ft/left')
      response.end(
        `${JSON.stringify({ name: 'left', vers: '1.0.0', deps: [], cksum, features: {}, yanked: false })}\n`,
      );
    else if (url?.startsWith('/dl/') === true) response.end(packed);
    else response.writeHead(404).end();
  });
  const { folder, ended } = await inside(
    {
      '.cargo/config.toml': `[registries.own]\nindex = "sparse+https://crates.test:${port}/index/"\n`,
      '.cargo/credentials.toml': `[registries.own]\ntoken = "${TOKEN}"\n`,
    },
    { SSL_CERT_FILE: file },
  );
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src', 'lib.rs'), '');
  await writeFile(
    join(folder, 'Cargo.toml'),
    '[package]\nname = "mine"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\nleft = { version = "1.0.0", registry = "own" }\n',
  );
  const fetched = await ended(
    'cargo fetch 2>&1; find ~/.cargo/registry -name "left-1.0.0.crate" | wc -l; cat Cargo.lock',
  );
  expect(fetched.stdOut).toMatch(/\n1\n/);
  expect(fetched.stdOut).toContain(`sparse+https://crates.test:${port}/index/`);
  expect((await ended('env; cat ~/.cargo/c* 2>/dev/null; cat /proc/*/environ')).stdOut).not.toContain(TOKEN);
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set([TOKEN]));
});

it('Maven reads one that wants a name and a password, by a certificate of an authority of one’s own', async () => {
  const { authority, file } = await authorityFile();
  const parent =
    '<project><modelVersion>4.0.0</modelVersion><groupId>corp</groupId><artifactId>parent</artifactId><version>1.0</version><packaging>pom</packaging></project>';
  const { asked, port } = await registry(
    authority,
    `Basic ${Buffer.from(`ann:${TOKEN}`).toString('base64')}`,
    ({ url }, response) => {
      if (url === '/all/corp/parent/1.0/parent-1.0.pom') response.end(parent);
      else response.writeHead(404).end();
    },
  );
  const { folder, ended } = await inside(
    {
      '.m2/settings.xml': `<settings><servers><server><id>own</id><username>ann</username><password>${TOKEN}</password></server></servers><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf><url>https://maven.test:${port}/all</url></mirror></mirrors></settings>`,
    },
    { SSL_CERT_FILE: file },
  );
  await writeFile(
    join(folder, 'pom.xml'),
    '<project><modelVersion>4.0.0</modelVersion><parent><groupId>corp</groupId><artifactId>parent</artifactId><version>1.0</version><relativePath/></parent><artifactId>mine</artifactId><packaging>pom</packaging></project>',
  );
  const { stdOut } = await ended('mvn -B validate 2>&1');
  expect(stdOut).toContain('BUILD SUCCESS');
  expect(asked.map(({ line }) => line)).toContain('GET /all/corp/parent/1.0/parent-1.0.pom');
  expect((await ended('env; cat ~/.m2/settings.xml')).stdOut).not.toContain(TOKEN);
});
