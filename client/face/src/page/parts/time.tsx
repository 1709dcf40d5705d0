/** Times: how long ago, and exactly on hover. One clock for the page. */
import { signal } from '@preact/signals';

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5_000);

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

function ago(iso: string, at: number): string {
  const seconds = Math.min(0, (Date.parse(iso) - at) / 1000);
  const [unit, size] = STEPS.find(([, each]) => -seconds >= each) ?? ['second', 1];
  if (unit === 'second' && seconds > -10) return 'now';
  return relative.format(Math.ceil(seconds / size), unit);
}

export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {ago(at, now.value)}
    </time>
  );
}
