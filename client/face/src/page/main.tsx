/** The page: is let in, reads what needs a person, and follows the events from there. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { goLive } from './core/live.js';
import { useQuery } from './core/query.js';
import { enter, entry, whyOut } from './core/session.js';
import { Shell } from './shell.js';

function App() {
  switch (entry.value) {
    case 'entering':
      return <p class="quiet">Opening …</p>;
    case 'out':
      return <Out />;
    case 'in':
      return <Inside />;
  }
}

function Inside() {
  const { data } = useQuery('attention.list', {});
  const isThere = data !== undefined;
  // From what the first read stands for: all that is shown was read at that or later.
  useEffect(() => (data ? goLive(data.asOf) : undefined), [isThere]);
  return <Shell />;
}

function Out() {
  return (
    <main class="out">
      <h1>Weft</h1>
      {whyOut.value !== '' && <p role="alert">{whyOut.value}</p>}
      <p>
        This page opens by a link that the studio prints when it starts, and that works once. For another one, run this
        where the studio runs:
      </p>
      <pre>weft open</pre>
    </main>
  );
}

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
void enter();
