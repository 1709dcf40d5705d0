/** Refuses a listener that is none: it would be taken in silence, and throw far from whoever gave it. */
export function checkListener(listener: unknown): void {
  if (typeof listener !== 'function') throw new TypeError('a listener is a function');
}
