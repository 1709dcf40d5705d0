/**
 * What a kept folder leaves out beside what its own .gitignore names: what a stack builds or installs, by the files that give the
 * stack away, and what is a secret by its name. As patterns of git, which one list serves for.
 */

interface Stack {
  /** A file that gives it away; absent: always. */
  readonly marker?: RegExp;
  readonly built: readonly string[];
}

const STACKS: readonly Stack[] = [
  {
    built: ['node_modules/', '.venv/', '__pycache__/', '.DS_Store', '.pytest_cache/', '.mypy_cache/', '.tox/', '*.pyc'],
  },
  { marker: /^package\.json$/, built: ['dist/', 'coverage/', '.next/', '.nuxt/', '.turbo/', '.parcel-cache/'] },
  { marker: /^(pyproject\.toml|setup\.py|requirements.*\.txt)$/, built: ['venv/', 'build/', 'dist/', '*.egg-info/'] },
  { marker: /^(Cargo\.toml|pom\.xml)$/, built: ['target/'] },
  { marker: /^build\.gradle(\.kts)?$/, built: ['build/', '.gradle/'] },
  { marker: /\.(csproj|fsproj|sln)$/, built: ['bin/', 'obj/'] },
  { marker: /^composer\.json$/, built: ['vendor/'] },
  { marker: /^mix\.exs$/, built: ['_build/', 'deps/'] },
];

const SECRETS = [
  ...['.env', '.env.*', '!.env.example', '!.env.sample', '!.env.template', '.envrc'],
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx'],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '.ssh/', '.gnupg/', '.aws/'],
  ...['.npmrc', '.pypirc', '.netrc', '.git-credentials', '.htpasswd'],
  ...['credentials.json', 'service-account*.json', 'secrets.json', 'secrets.y*ml', '.weft-data/', 'weft-data/'],
];

/** Patterns for a folder with these entries at its root. */
export function leftOutPatterns(rootEntries: readonly string[]): string[] {
  const found = STACKS.filter(({ marker }) => marker === undefined || rootEntries.some((name) => marker.test(name)));
  return [...new Set([...found.flatMap(({ built }) => built), ...SECRETS])];
}

/** Patterns of secrets alone. */
export const secretPatterns: readonly string[] = SECRETS;
