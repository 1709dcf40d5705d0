/** Shows what is read from the events of the record once the page follows them: before that it does not know how many there are. */
import type { ComponentChildren } from 'preact';
import { connection } from '../core/live.js';
import { useQuery } from '../core/query.js';
import { Read, Reading } from './ui.js';

export function OnceLive({ children }: { readonly children: ComponentChildren }) {
  // Events are followed from what this read stands for.
  const attention = useQuery('attention.list', {});
  return <Read of={attention}>{() => (connection.value === 'connecting' ? <Reading /> : children)}</Read>;
}
