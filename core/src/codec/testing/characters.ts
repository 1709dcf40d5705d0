/** Characters by number, for texts of random tests: fast-check's own unit `binary` lists all of them first, which takes a second. */
const HALVES = { from: 0xd800, count: 0x800 };

/** Number of the last character that Unicode has room for; half ones are none. */
export const LAST_CHARACTER = 0x10ffff - HALVES.count;

export function characterAt(number: number): string {
  return String.fromCodePoint(number < HALVES.from ? number : number + HALVES.count);
}
