/** Shows what is read from the events of the record once the page follows them: before that it does not know how many there are. */
import type { ComponentChildren } from 'preact';
import { connection } from '../core/live.js';

export function OnceLive({ children }: { readonly children: ComponentChildren }) {
  if (connection.value !== 'connecting') return <>{children}</>;
  return (
    <p class="quiet" role="status">
      Reading …
    </p>
  );
}
