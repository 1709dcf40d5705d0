/**
 * What lets this page in. A link brings a code in its fragment, once; the studio exchanges it for a cookie that no script can read,
 * and for the other half of the key, which is kept here, in storage of this origin, and sent as a header.
 */
import { signal } from '@preact/signals';
import { StudioError, createStudioClient } from '@weft/studio-client';
import { takeAsked } from './asked.js';

const KEY = 'weft.page';
const CODE = /^#code=([0-9a-f]{32})$/;

interface Held {
  readonly page: string;
  readonly scope: string;
  readonly isDemonstration?: boolean;
}

export type Entry = 'entering' | 'in' | 'out';

export const entry = signal<Entry>('entering');
/** Why the page is not let in, for people. */
export const whyOut = signal('');
export const scope = signal('');
/** Whether the studio is one in which a script answers in place of a model. */
export const isDemonstration = signal(false);

function held(): Held | undefined {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof found !== 'object' || found === null || !('page' in found) || !('scope' in found)) return undefined;
    const isPlayed = 'isDemonstration' in found && found.isDemonstration === true;
    return { page: String(found.page), scope: String(found.scope), isDemonstration: isPlayed };
  } catch {
    return undefined;
  }
}

/** Header that lets this page in, beside its cookie. */
export function pageHeaders(): Readonly<Record<string, string>> {
  const { page } = held() ?? {};
  return page === undefined ? {} : { 'x-weft-page': page };
}

export const studio = createStudioClient({
  headers: pageHeaders,
  fetch: (path, init) => takeAsked(init?.method ?? 'GET', String(path)) ?? fetch(path, init),
});

export async function enter(): Promise<void> {
  const code = CODE.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      const answer = await studio.request(`/studio/codes/${code}`, { method: 'POST' });
      // Beside these it may hold what was read for the first script.
      const { page, scope: given, isDemonstration: isPlayed } = (await answer.json()) as Held;
      localStorage.setItem(KEY, JSON.stringify({ page, scope: given, isDemonstration: isPlayed }));
    } catch (error) {
      whyOut.value = error instanceof Error ? error.message : String(error);
    }
  }
  const known = held();
  scope.value = known?.scope ?? '';
  isDemonstration.value = known?.isDemonstration ?? false;
  entry.value = known ? 'in' : 'out';
}

/** Ends this page for good, in all tabs of this browser. */
export async function leave(): Promise<void> {
  await studio.request('/studio/page', { method: 'DELETE' });
  forget('You have left.');
}

/** Takes note that the studio lets this page in no more. */
export function forget(why: string): void {
  localStorage.removeItem(KEY);
  whyOut.value = why;
  entry.value = 'out';
}

/** Whether an error says that the page is not let in (any more). */
export function isShutOut(error: unknown): boolean {
  return error instanceof StudioError && error.status === 401;
}

// Another tab has left, or was let in.
addEventListener('storage', ({ key }) => {
  if (key !== KEY) return;
  if (held()) location.reload();
  else forget('You have left in another tab.');
});
