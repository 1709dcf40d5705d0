/** Times: how long ago, and exactly on hover. One clock for the page. */
import { signal } from '@preact/signals';

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5_000);

const STEPS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** How long ago, in words of its own: making the first formatter of a language takes a page longer than drawing its inbox. */
function ago(iso: string, at: number): string {
  const seconds = Math.max(0, (at - Date.parse(iso)) / 1000);
  if (seconds < 10) return 'now';
  const [unit, size] = STEPS.find(([, each]) => seconds >= each) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit} ago`;
}

let exact: Intl.DateTimeFormat | undefined;

function exactly(at: string): string {
  exact ??= new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
  return exact.format(new Date(at));
}

/** When something was, and exactly when for whoever points at it. */
export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} onPointerEnter={({ currentTarget }) => (currentTarget.title = exactly(at))}>
      {ago(at, now.value)}
    </time>
  );
}
