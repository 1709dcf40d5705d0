/** What a program that the studio runs may know of its surroundings. Everything else of the host's own is kept from it: a key among it cannot leak. */
import { dirname } from 'node:path';

/** Where programs and their caches are, and how people here write. */
const PASSED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'],
  ...['SystemRoot', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'LOCALAPPDATA', 'APPDATA'],
  ...[
    'JAVA_HOME',
    'CARGO_HOME',
    'RUSTUP_HOME',
    'RUSTUP_TOOLCHAIN',
    'GOPATH',
    'GOROOT',
    'GOCACHE',
    'GOMODCACHE',
    'GOPROXY',
  ],
  ...['DOTNET_ROOT', 'PYENV_ROOT', 'NVM_DIR', 'VOLTA_HOME', 'COREPACK_HOME'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE'],
];
/** A proxy can carry a password. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'GOPROXY'];

/** Set for each program; the mark tells which processes are its own, whatever became of their group. */
export const MARK = 'WEFT_RUN';

export function environmentOf(
  host: NodeJS.ProcessEnv,
  { folder, mark, passing }: { readonly folder: string; readonly mark: string; readonly passing: string },
  wanted: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const known: Record<string, string> = {};
  for (const name of [...PASSED, ...PROXIES]) {
    const value = host[name];
    if (value !== undefined && !(PROXIES.includes(name) && value.includes('@'))) known[name] = value;
  }
  return {
    ...known,
    // What they make by the way does not become part of the branch.
    TMPDIR: passing,
    PYTHONPYCACHEPREFIX: `${passing}/pycache`,
    CI: '1',
    NO_COLOR: '1',
    TERM: 'dumb',
    GIT_TERMINAL_PROMPT: '0',
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
    ...wanted,
    // A git that they run finds no repository above the folder.
    GIT_CEILING_DIRECTORIES: dirname(folder),
    [MARK]: mark,
  };
}
