/** Addresses of the page: each view, and each thing that it shows, has one that can be pasted. */
import { signal } from '@preact/signals';

export interface Route {
  /** First segment, such as `goals`; the empty path is the inbox. */
  readonly view: string;
  /** What follows, decoded. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

export const route = signal(routeAt(location));

function routeAt({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  const [view = '', ...rest] = pathname
    .split('/')
    .slice(1)
    .filter((part) => part !== '')
    .map(decoded);
  return { view: view === '' ? 'inbox' : view, rest, query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function pathTo(view: string, ...rest: readonly string[]): string {
  return `/${[view, ...rest].map(encodeURIComponent).join('/')}`;
}

export function go(path: string): void {
  history.pushState(null, '', path);
  arrive();
}

/** Says where one is by now, where nothing was gone to: what was written into a field. */
export function replace(path: string): void {
  history.replaceState(null, '', path);
}

function arrive(): void {
  route.value = routeAt(location);
  scrollTo(0, 0);
  // A new view begins at its heading, for those who hear it; not while a dialog is open.
  requestAnimationFrame(focusHeading);
}

/** Watch for the heading of a view whose script or data is still on its way. */
let awaited: MutationObserver | undefined;

/** Puts the focus on the heading as soon as there is one, unless somebody has put it elsewhere meanwhile. */
function focusHeading(): void {
  awaited?.disconnect();
  const before = document.activeElement;
  const focused = (): boolean => {
    const { activeElement } = document;
    if (activeElement !== before && activeElement !== document.body) return true;
    const heading = document.querySelector<HTMLElement>('main h1');
    heading?.focus({ preventScroll: true });
    return heading !== null;
  };
  const main = document.querySelector('main');
  if (focused() || !main) return;
  awaited = new MutationObserver((_changes, observer) => void (focused() && observer.disconnect()));
  awaited.observe(main, { childList: true, subtree: true });
}

addEventListener('popstate', () => {
  route.value = routeAt(location);
});

// Links of the page itself do not load it anew.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.target !== '' || link.pathname.startsWith('/studio')) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
