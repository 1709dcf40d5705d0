/** Keys: one table of what each does now, which the help shows. Single letters can be switched off, for those who dictate. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export interface KeyBinding {
  /** Such as `j`, `g i`, `Escape`. */
  readonly keys: string;
  readonly does: string;
  readonly run: () => void;
}

interface Bound {
  keys: readonly KeyBinding[];
}

const bindings = new Set<Bound>();
export const letterKeys = signal(localStorage.getItem('weft.letters') !== 'off');
let pending = '';
let clear: ReturnType<typeof setTimeout> | undefined;

export function setLetterKeys(isOn: boolean): void {
  localStorage.setItem('weft.letters', isOn ? 'on' : 'off');
  letterKeys.value = isOn;
}

/** Everything that keys do now; later ones come first. */
export function allKeys(): readonly KeyBinding[] {
  return [...bindings].reverse().flatMap(({ keys }) => keys);
}

export function useKeys(own: readonly KeyBinding[]): void {
  const { current: bound } = useRef<Bound>({ keys: own });
  // Not in an effect: a key that follows at once must find what was just drawn.
  bound.keys = own;
  useEffect(() => {
    bindings.add(bound);
    return () => void bindings.delete(bound);
  }, []);
}

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey) return;
  const isChord = event.metaKey || event.ctrlKey;
  const isWriting =
    event.target instanceof HTMLElement &&
    event.target.matches('input:not([type=range], [type=checkbox]), textarea, select');
  if (document.querySelector('dialog[open]') && !isChord) return;
  const name = isChord ? `Mod+${event.key.toLowerCase()}` : event.key;
  if (isWriting && !isChord && name !== 'Escape') return;
  if (name.length === 1 && !letterKeys.value) return;
  const found =
    allKeys().find(({ keys }) => keys === `${pending} ${name}`) ?? allKeys().find(({ keys }) => keys === name);
  clearTimeout(clear);
  const isPrefix = pending === '' && allKeys().some(({ keys }) => keys.startsWith(`${name} `));
  pending = !found && isPrefix ? name : '';
  if (pending !== '') clear = setTimeout(() => (pending = ''), 1_500);
  // Enter and space belong to what has the focus.
  const isOwn =
    (name === 'Enter' || name === ' ') &&
    event.target instanceof HTMLElement &&
    event.target.matches('a, button, summary');
  if (!found || isOwn) return;
  event.preventDefault();
  found.run();
});
