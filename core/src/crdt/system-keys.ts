/** Keys that only a room's authorities may write, and that act only where they were written. [AD5] [TP3] */
export function isSystemKey(key: string): boolean {
  return key.startsWith('\0') || key.startsWith('_topology/');
}
