/**
 * Registries of packages that a user's own settings name: what confined programs may reach, and settings that lead them there. Of
 * a setting only names and addresses are taken; passwords and tokens in it stay where they are. Pure.
 */
import { type Allowed, allowedOf } from './allowed.js';

/** Settings of one package manager, as they lie on this machine. */
export interface RegistryRule {
  /** Files below the home; `*` at the end takes all of a folder. */
  readonly files: readonly string[];
  /** Variables that name registries, each with commas, bars or spaces between them. */
  readonly variables?: readonly string[];
  /** Lines, or parts, of such a file that name registries. What it answers is what programs inside are given, where `inside` is named. */
  readonly keep: (text: string) => string[];
  /** File below the home inside, where what is kept is put. */
  readonly inside?: { readonly path: string; readonly text: (kept: readonly string[]) => string };
}

const lines = (text: string): string => `${text}\n`;
const asLines = (kept: readonly string[]): string => lines(kept.join('\n'));

export const REGISTRY_RULES: readonly RegistryRule[] = [
  {
    files: ['.npmrc'],
    variables: ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'YARN_NPM_REGISTRY_SERVER', 'BUN_CONFIG_REGISTRY'],
    keep: linesThat(/^(@[^\s:=]+:)?registry\s*=/),
    inside: { path: '.npmrc', text: asLines },
  },
  {
    files: ['.yarnrc.yml'],
    keep: linesThat(/^npmRegistryServer:/),
    inside: { path: '.yarnrc.yml', text: asLines },
  },
  {
    files: ['.config/pip/pip.conf', '.pip/pip.conf'],
    variables: ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL'],
    keep: linesBelow(/^(index-url|extra-index-url|find-links)\s*=/),
    inside: { path: '.config/pip/pip.conf', text: (kept) => lines(['[global]', ...kept].join('\n')) },
  },
  {
    files: ['.config/uv/uv.toml'],
    variables: ['UV_DEFAULT_INDEX', 'UV_INDEX', 'UV_INDEX_URL', 'UV_EXTRA_INDEX_URL'],
    keep: linesThat(/^(\[\[index\]\]|(name|url|default|index-url|extra-index-url)\s*=)/),
    inside: { path: '.config/uv/uv.toml', text: asLines },
  },
  {
    files: ['.cargo/config.toml', '.cargo/config'],
    keep: tomlTables(/^(source|registries|registry)(\.|$)/, /^(registry|index|replace-with|default|protocol)\s*=/),
    inside: { path: '.cargo/config.toml', text: asLines },
  },
  {
    files: ['.config/go/env'],
    variables: ['GOPROXY', 'GOSUMDB'],
    keep: linesThat(/^(GOPROXY|GOSUMDB|GONOSUMDB|GONOPROXY|GOPRIVATE)=/),
    inside: { path: '.config/go/env', text: asLines },
  },
  {
    files: ['.nuget/NuGet/NuGet.Config', '.config/NuGet/NuGet.Config'],
    keep: (text) =>
      parts(text, /<packageSources>[\s\S]*?<\/packageSources>/g).flatMap((part) =>
        parts(part, /<(add|clear)\b[^>]*>/g),
      ),
    inside: {
      path: '.nuget/NuGet/NuGet.Config',
      text: (kept) => lines(`<configuration><packageSources>\n${kept.join('\n')}\n</packageSources></configuration>`),
    },
  },
  {
    files: ['.m2/settings.xml'],
    keep: (text) => parts(text, /<mirror>[\s\S]*?<\/mirror>/g),
    inside: {
      path: '.m2/settings.xml',
      text: (kept) => lines(`<settings><mirrors>\n${kept.join('\n')}\n</mirrors></settings>`),
    },
  },
  // Scripts of Gradle are programs: what they name may be reached, and they themselves are not run.
  { files: ['.gradle/init.gradle', '.gradle/init.gradle.kts', '.gradle/init.d/*'], keep: linesThat(/https?:\/\//) },
  { files: ['.gemrc'], keep: linesThat(/^\s*-\s*https?:\/\//) },
];

/** Longest file of settings that is read. */
export const LONGEST_SETTINGS = 256 << 10;

/** Settings as text for programs inside, without what lets somebody in. */
export function withoutSecrets(text: string): string {
  return text.replace(ADDRESS, (address) => {
    const bare = address.replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
    return bare.replace(/[?#].*$/s, '');
  });
}

const ADDRESS = /https?:\/\/[^\s"'<>,|;)\]}]+/gi;

/** Servers that a text of settings names. */
export function serversIn(text: string): Allowed[] {
  return parts(text, ADDRESS).flatMap((address) => allowedOf(address) ?? []);
}

function parts(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([part]) => part);
}

function linesThat(pattern: RegExp): RegistryRule['keep'] {
  return (text) => text.split(/\r?\n/).filter((line) => pattern.test(line));
}

/** Lines of an INI file, with those below them that are further values. */
function linesBelow(pattern: RegExp): RegistryRule['keep'] {
  return (text) => {
    let isIn = false;
    return text.split(/\r?\n/).filter((line) => {
      if (!/^\s+\S/.test(line)) isIn = pattern.test(line);
      return isIn;
    });
  };
}

/** Tables of a TOML file, with those of their lines that are named. */
function tomlTables(table: RegExp, line: RegExp): RegistryRule['keep'] {
  return (text) => {
    let isIn = false;
    return text.split(/\r?\n/).filter((one) => {
      const name = /^\s*\[([^\]]+)\]/.exec(one)?.[1];
      if (name !== undefined) isIn = table.test(name.trim());
      return isIn && (name !== undefined || line.test(one.trim()));
    });
  };
}
