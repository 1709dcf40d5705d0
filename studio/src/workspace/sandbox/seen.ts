/**
 * What confined programs see of the machine, read-only: the system's programs and libraries, what networks and certificates need,
 * and the toolchains of this user, without the folders around them, where keys lie. Pure.
 */
import { basename, dirname, join } from 'node:path';

/** Folders of programs and libraries. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store'];
/** Settings that programs of the system read. None holds a secret; `/etc/shadow` and keys are not among them. */
const SETTINGS = [
  ...['passwd', 'group', 'nsswitch.conf', 'host.conf', 'hosts', 'resolv.conf', 'services', 'protocols', 'localtime'],
  ...['timezone', 'ssl/certs', 'ssl/openssl.cnf', 'ca-certificates', 'ca-certificates.conf', 'pki/tls/certs'],
  ...['pki/ca-trust/extracted', 'alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'mime.types', 'fonts'],
  ...['java-17-openjdk', 'java-21-openjdk', 'maven', 'terminfo', 'shells', 'bash.bashrc', 'gitattributes'],
].map((name) => join('/etc', name));
/** Toolchain managers, below a home. */
const MANAGERS = [
  ...['.nvm/versions', '.rustup', '.cargo/bin', '.pyenv', '.sdkman/candidates', '.volta/tools', '.volta/bin'],
  ...['.asdf', '.local/share/mise/installs', '.local/share/uv/python', '.local/share/fnm', '.bun/bin', '.deno/bin'],
  ...['go/bin', '.dotnet', '.ghcup/bin', '.juliaup', '.rbenv'],
];
/** Variables that name a toolchain. */
const VARIABLES = ['JAVA_HOME', 'RUSTUP_HOME', 'GOROOT', 'DOTNET_ROOT', 'PYENV_ROOT'];

export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Home of the user who runs the host, who may have none. */
  readonly home: string | undefined;
  /** Path of Node. */
  readonly node: string;
}

export function seenOn({ environment, home, node }: Machine): string[] {
  const path = (environment['PATH'] ?? '')
    .split(':')
    .filter((one) => one.startsWith('/') && !one.includes('/node_modules'));
  const named = VARIABLES.flatMap((name) => environment[name] ?? []).filter((one) => one.startsWith('/'));
  const all = [
    ...[...SYSTEM, ...SETTINGS],
    ...(home === undefined ? [] : MANAGERS.map((name) => join(home, name))),
    ...[...named, ...path],
    // Programs of Node look for their libraries beside it.
    ...(basename(dirname(node)) === 'bin' ? [dirname(node), join(dirname(dirname(node)), 'lib')] : [dirname(node)]),
  ];
  return [...new Set(all)].filter((one) => !isTooMuch(one, home));
}

/** Whether it would show a home, or all. */
function isTooMuch(path: string, home: string | undefined): boolean {
  const bare = path.replace(/(?<=.)\/+$/, '');
  return bare === '/' || bare === home || home?.startsWith(`${bare}/`) === true || bare === '/home' || bare === '/etc';
}
