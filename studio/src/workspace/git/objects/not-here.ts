/** What a commit names and the studio does not have, in words: submodules, and contents that git-lfs keeps. Pure. */

/** Files of attributes that are looked at for what git-lfs keeps. */
export const MOST_ATTRIBUTE_FILES = 20;
const MOST_SUBMODULES = 20;
const LARGE = /^[^#\n]*\bfilter=lfs\b/m;

/** `attributes` are the texts of files of attributes. */
export function notHere(submodules: readonly string[], attributes: readonly string[]): string[] {
  const isLarge = attributes.some((text) => LARGE.test(text));
  const more = submodules.length > MOST_SUBMODULES ? ` and ${submodules.length - MOST_SUBMODULES} more` : '';
  return [
    ...(submodules.length === 0
      ? []
      : [`submodules are folders without files: ${submodules.slice(0, MOST_SUBMODULES).join(', ')}${more}`]),
    ...(isLarge ? ['files that git-lfs keeps are pointers to their contents'] : []),
  ];
}
