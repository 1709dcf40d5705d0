import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import {
  STANDS_FOR_LOGIN,
  cargoLogins,
  gradleLogins,
  mavenLogins,
  netrcLogins,
  nugetLogins,
} from './managers-logins.js';
import { registriesOf } from './node-registries.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const login = (host: string, authorization: string, port: number | undefined = 443) => ({
  host,
  port,
  below: '/',
  authorization,
});

it('cargo has addresses in one file and tokens in another, or in variables, and something to say in their place', () => {
  const text = [
    '[registries.own-one]',
    'index = "sparse+https://crates.corp/index/" # ours',
    '[registries.two]',
    "index = 'https://two.corp:8443/git'",
    '[registries.free]',
    'index = "sparse+https://free.corp/"',
    '[registry]',
    'token = "of crates.io"',
    '[registries.own-one]',
    'token = "Bearer t1"',
    '[registries.odd]',
    'token = "nowhere"',
  ].join('\n');
  expect(cargoLogins(text, { CARGO_REGISTRIES_TWO_TOKEN: 't2' })).toEqual({
    logins: [login('crates.corp', 'Bearer t1'), login('two.corp', 't2', 8443)],
    environment: {
      CARGO_REGISTRIES_OWN_ONE_TOKEN: STANDS_FOR_LOGIN,
      CARGO_REGISTRIES_TWO_TOKEN: STANDS_FOR_LOGIN,
      CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS: 'cargo:token',
    },
  });
});

it('NuGet has who one is beside its sources; what it keeps encrypted is left', () => {
  const text = `<configuration><packageSources>
      <add key="Our own" value="https://nuget.corp/v3/index.json" /><add key="other" value="https://other.corp/v3" />
      <add key="a.b" value="https://dots.corp/v3" /></packageSources>
    <packageSourceCredentials><Our_x0020_own><add key="Username" value="ann" /><add key="ClearTextPassword" value="p&amp;w" /></Our_x0020_own>
      <other><add key="Username" value="ann" /><add key="Password" value="AQAAANCM" /></other>
      <a.b><add key="Username" value="bob" /><add key="ClearTextPassword" value="%NUGET_PW%" /></a.b>
    </packageSourceCredentials></configuration>`;
  expect(nugetLogins(text, { NUGET_PW: 'of env' })).toEqual([
    login('nuget.corp', basic('ann:p&w')),
    login('dots.corp', basic('bob:of env')),
  ]);
});

it('Maven has servers by the id of a mirror; what it keeps encrypted, or in a comment, is left', () => {
  const server = (id: string, password: string) =>
    `<server><id>${id}</id><username>ann</username><password>${password}</password></server>`;
  const mirror = (id: string) =>
    `<mirror><id>${id}</id><mirrorOf>*</mirrorOf><url>https://${id}.corp/all</url></mirror>`;
  const text = `<settings><servers>${server('one', '${env.MVN_PW}')}${server('two', '{COQLCE6DU6GtcS5P=}')}<!-- ${server('three', 'old')} --></servers>
    <mirrors>${mirror('one')}${mirror('two')}${mirror('three')}</mirrors></settings>`;
  expect(mavenLogins(text, { MVN_PW: 'pw' })).toEqual([login('one.corp', basic('ann:pw'))]);
});

it('Gradle has them beside an address, as texts; what a script works out is left', () => {
  const text = `allprojects { repositories {
    maven { url "https://one.corp/all"; credentials { username "ann"
      password "pw" } }
    maven { url = uri("https://two.corp/all"); credentials { username = 'bob'; password = 'pw2' } }
    maven { url "https://three.corp/all"; credentials { username "x"; password "$secret" } }
    maven { url "https://four.corp/all" } } }`;
  expect(gradleLogins(text)).toEqual([login('one.corp', basic('ann:pw')), login('two.corp', basic('bob:pw2'))]);
});

it('a netrc has them by machine, over lines or in one, without macros and a default', () => {
  const text = `machine one.corp login ann password "p w"
machine two.corp
  login bob account x
  password pw2
macdef init
machine evil.corp login x password y

default login anonymous password none
machine half.corp login z`;
  expect(netrcLogins(text)).toEqual(
    [login('one.corp', basic('ann:p w'), undefined), login('two.corp', basic('bob:pw2'), undefined)].map((one) => ({
      ...one,
      port: undefined,
    })),
  );
});

it('of a netrc those machines alone are meant that are registries, and a login in their own settings goes first', async () => {
  const folder = await tempFolder();
  const files = {
    '.netrc':
      'machine github.com login me password token\nmachine pip.corp login ann password pw\nmachine npm.corp login x password y\n',
    '.npmrc': 'registry=https://npm.corp/\n//npm.corp/:_authToken=t\n',
    '.config/pip/pip.conf': '[global]\nindex-url = https://pip.corp/simple\n',
    '.cargo/config.toml': '[registries.own]\nindex = "sparse+https://crates.corp/"\n',
    '.cargo/credentials.toml': '[registries.own]\ntoken = "t1"\n',
    '.nuget/NuGet/NuGet.Config':
      '<configuration><packageSources><add key="o" value="https://nuget.corp/v3" /></packageSources><packageSourceCredentials><o><add key="Username" value="ann" /><add key="ClearTextPassword" value="pw" /></o></packageSourceCredentials></configuration>',
    '.m2/settings.xml':
      '<settings><servers><server><id>m</id><username>ann</username><password>pw</password></server></servers><mirrors><mirror><id>m</id><url>https://maven.corp/</url></mirror></mirrors></settings>',
    '.gradle/init.gradle': 'maven { url "https://gradle.corp/"; credentials { username "ann"; password "pw" } }\n',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { logins = [], environment, files: given } = await registriesOf(folder, {});
  expect(logins.map(({ host, authorization }) => [host, authorization])).toEqual([
    ['npm.corp', 'Bearer t'],
    ['crates.corp', 't1'],
    ['nuget.corp', basic('ann:pw')],
    ['maven.corp', basic('ann:pw')],
    ['gradle.corp', basic('ann:pw')],
    ['pip.corp', basic('ann:pw')],
  ]);
  expect(environment).toMatchObject({ CARGO_REGISTRIES_OWN_TOKEN: STANDS_FOR_LOGIN });
  expect(JSON.stringify(given)).not.toMatch(/t1|pw|password/i);
});
