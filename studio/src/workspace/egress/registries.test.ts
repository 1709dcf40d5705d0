import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { registriesOf } from './node-registries.js';

const SECRET = 'hunter2';

async function home(files: Record<string, string>): Promise<string> {
  const folder = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

it.each([
  [
    '.npmrc',
    `proxy=http://proxy.corp:8080\nregistry=https://ann:${SECRET}@npm.corp/npm/\n@own:registry=http://own.corp:4873/\n//npm.corp/:_authToken=${SECRET}\n`,
    ['npm.corp:443', 'own.corp:4873'],
  ],
  [
    '.config/pip/pip.conf',
    `[global]\nindex-url = https://u:${SECRET}@pip.corp/simple\nextra-index-url =\n    https://more.corp/simple\nproxy = http://proxy.corp\n`,
    ['pip.corp:443', 'more.corp:443'],
  ],
  ['.config/uv/uv.toml', '[[index]]\nname = "x"\nurl = "https://uv.corp/simple"\n', ['uv.corp:443']],
  [
    '.cargo/config.toml',
    `[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "sparse+https://crates.corp/index/"\n[registries.own]\ntoken = "${SECRET}"\n[http]\nproxy = "http://proxy.corp"\n`,
    ['crates.corp:443'],
  ],
  ['.config/go/env', 'GOPROXY=https://go.corp,direct\nGOFLAGS=-x\n', ['go.corp:443']],
  [
    '.nuget/NuGet/NuGet.Config',
    `<configuration><packageSources><add key="own" value="https://nuget.corp/v3/index.json" /></packageSources><packageSourceCredentials><own><add key="ClearTextPassword" value="${SECRET}" /></own></packageSourceCredentials></configuration>`,
    ['nuget.corp:443'],
  ],
  [
    '.m2/settings.xml',
    `<settings><servers><server><password>${SECRET}</password></server></servers><proxies><proxy><host>proxy.corp</host></proxy></proxies><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf><url>https://maven.corp/all</url></mirror></mirrors></settings>`,
    ['maven.corp:443'],
  ],
  ['.gradle/init.d/own.gradle', 'repositories { maven { url "https://gradle.corp/all" } }\n', ['gradle.corp:443']],
])(
  '%s names registries, and what programs are given of it holds no secret and no proxy',
  async (path, text, servers) => {
    const { allowed, files } = await registriesOf(await home({ [path]: text }), {});
    expect(allowed.map(({ host, port }) => `${host}:${port}`)).toEqual(servers);
    const given = JSON.stringify(files);
    expect(given).not.toMatch(/hunter2|proxy\.corp/);
    // A script of Gradle is not given: it would be run.
    if (!path.startsWith('.gradle')) for (const server of servers) expect(given).toContain(server.split(':')[0]);
  },
);

it('variables name them, too, and go in without who is let in', async () => {
  const variables = {
    GOPROXY: `https://u:${SECRET}@go.corp,https://two.corp|direct`,
    PIP_INDEX_URL: 'https://pip.corp/s',
  };
  const { allowed, environment } = await registriesOf(undefined, variables);
  expect(allowed.map(({ host }) => host)).toEqual(['pip.corp', 'go.corp', 'two.corp']);
  expect(environment).toEqual({
    GOPROXY: 'https://go.corp,https://two.corp|direct',
    PIP_INDEX_URL: 'https://pip.corp/s',
  });
});

it('nothing is named where no settings are, and what is no file of settings is left', async () => {
  const folder = await home({ '.npmrc/odd': 'registry=https://x.corp\n', '.yarnrc.yml': 'x'.repeat(300 << 10) });
  expect(await registriesOf(folder, {})).toEqual({ allowed: [], files: [], environment: {} });
  expect((await registriesOf(undefined, {})).allowed).toEqual([]);
});
