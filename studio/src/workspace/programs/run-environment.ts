/** Environment allow-list of programs that the studio runs. No other variable of the host is passed on, so no key can leak. */
import { dirname } from 'node:path';

/** Paths of programs and caches, and the locale. */
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
/** Proxies, which can contain a password. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'GOPROXY'];

/** Mark set for each program: it identifies its processes, whatever became of their group. */
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
    // Temporary files stay out of the branch.
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
