/** Names that mean the same wherever an archive lies: paths of plain segments, none hidden, none that leads up. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.~+=@-]{0,199}$/;

export function isArchiveName(name: string): boolean {
  const segments = name.split('/');
  return segments.length <= 32 && segments.every((segment) => SEGMENT.test(segment));
}
