/** Notifications of the desktop, where a person asked for them: once for each thing that needs somebody, while the page is hidden. */
import { signal } from '@preact/signals';
import type { Attention } from '@weft/studio-client';

const KEY = 'weft.notify';
const CHANNEL = 'weft.notify';

export const notifies = signal(isAllowed());

/** What was there already, or was told. */
let known: ReadonlySet<string> | undefined;

function isAllowed(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on';
}

export async function askToNotify(): Promise<void> {
  if (!('Notification' in globalThis)) return;
  localStorage.setItem(KEY, 'on');
  await Notification.requestPermission();
  notifies.value = isAllowed();
}

/** Tells of what is new in the list. Tabs of one browser replace each other's notification of the same thing. */
export function tellOf(items: readonly Attention[], words: (item: Attention) => string): void {
  const ids = new Set(items.map(({ kind, id }) => `${kind} ${id}`));
  const fresh = known === undefined ? [] : items.filter(({ kind, id }) => !known?.has(`${kind} ${id}`));
  known = ids;
  if (!notifies.value || !document.hidden) return;
  for (const item of fresh) new Notification('Weft', { body: words(item), tag: `${CHANNEL} ${item.kind} ${item.id}` });
}
