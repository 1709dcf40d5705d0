/**
 * Roots: the folders below which a caller may name one, to register, create, clone, import from, or export to. Hidden folders there
 * hold keys and settings, and are none; nor is the studio's own.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { refusal } from '../../reasons.js';

/** Folders of the system: what is in them is no file of anybody's, and may be another for each process that looks. */
const OF_SYSTEM = ['/proc', '/sys', '/dev'];

export interface Roots {
  /** Refuses a path outside of all roots, wherever its links lead. */
  require(path: string): Promise<void>;
}

/** Roots of a host. `own` are folders of the studio, inside of which nothing is a root. */
export function rootsOf(folders: readonly string[], own: readonly string[]): Roots {
  return {
    async require(path) {
      // What is no path of a folder at all is refused, with the reason, where it is looked at.
      if (!isAbsolute(path) || path.includes('\0')) return;
      const why = whyOfSystem(normalize(path));
      if (why !== undefined) throw refused(path, why);
      const real = await nearestReal(path);
      for (const one of own) if (isInside(await nearestReal(one), real)) throw refused(path, "is the studio's own");
      for (const folder of folders) {
        const root = await nearestReal(folder);
        if (!isInside(root, real)) continue;
        const hidden = relative(root, real)
          .split(sep)
          .find((name) => name.startsWith('.'));
        if (hidden === undefined) return;
        throw refused(path, `lies in ${hidden}, which is hidden; have the host started with that folder in --roots`);
      }
      const all = folders.length === 0 ? 'none' : folders.join(', ');
      throw refused(path, `is in none of the studio's folders (${all}); start it with --roots to have another`);
    },
  };
}

/** Why a path is none that may be named, if it is the system's. */
export function whyOfSystem(path: string): string | undefined {
  const above = OF_SYSTEM.find((one) => isInside(one, path));
  return above && `is in ${above}, which is the system's; name a folder of files`;
}

function refused(path: string, why: string): Error {
  return refusal('reject.repository_path_unusable', `${path} ${why}`, { path });
}

/** Real path, of which the last names need not be there yet. */
async function nearestReal(wanted: string): Promise<string> {
  const missing: string[] = [];
  for (let path = wanted; ; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) return join(real, ...missing);
    missing.unshift(basename(path));
    if (path === dirname(path)) return wanted;
  }
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
