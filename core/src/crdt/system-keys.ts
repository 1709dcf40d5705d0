/** Keys that only a room's authorities may write, and that act only where they were written. [AD5] [TP3] */

/** Under which a room's authorities say who may write. [PO1] */
export const POLICY_KEY = '\0policy';

export function isSystemKey(key: string): boolean {
  return key.startsWith('\0') || key.startsWith('_topology/');
}
