/** Head of a skill's file: what it is for, between two lines of dashes, as `description: …`, also folded over indented lines. */
const HEAD = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/;
const DESCRIPTION = /^description:[ \t]*(.*(?:\r?\n[ \t]+.*)*)/m;
/** Signs with which a text that is folded over lines begins. */
const FOLDED = /^[>|][+-]?\d?\s*/;
const LONGEST = 300;

/** The description on one line; empty where there is none. */
export function descriptionIn(text: string): string {
  const [, head = ''] = HEAD.exec(text) ?? [];
  const [, found = ''] = DESCRIPTION.exec(head) ?? [];
  const line = found.replace(FOLDED, '').replaceAll(/\s+/g, ' ').trim();
  const [, quoted = line] = /^(?:"(.*)"|'(.*)')$/.exec(line)?.filter((one) => one !== undefined) ?? [];
  return quoted.slice(0, LONGEST);
}
