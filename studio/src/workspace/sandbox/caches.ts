/**
 * Caches of package managers, kept between programs of one repository. The home around them is new for each program: settings that
 * one writes there, which could make another run something, are gone with it.
 */

/** Home of a confined program. */
export const HOME = '/weft-home';

/** Folders below the home that are kept. */
export const CACHES: readonly string[] = [
  '.npm',
  '.cache',
  '.yarn/berry',
  '.local/share/pnpm',
  '.bun/install/cache',
  '.cargo/registry',
  '.cargo/git',
  'go/pkg',
  '.gradle/caches',
  '.gradle/wrapper',
  '.m2/repository',
  '.nuget/packages',
  '.gem',
];

/** Variables that name folders of this user, which a confined program does not see. */
export const OF_HOME: readonly string[] = [
  'CARGO_HOME',
  'GOPATH',
  'GOCACHE',
  'GOMODCACHE',
  'COREPACK_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];
