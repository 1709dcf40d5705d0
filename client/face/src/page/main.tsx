/** The page: is let in, reads what needs a person, and follows the events from there. */
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { goLive } from './core/live.js';
import { enter, entry, forget, isShutOut, pageHeaders, studio, whyOut } from './core/session.js';
import { letIn } from './rooms/client.js';
import { Shell } from './shell.js';

const AGAIN_MS = 1_000;

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
  useEffect(() => {
    let stop = (): void => undefined;
    let isOver = false;
    const begin = async (): Promise<void> => {
      while (!isOver) {
        try {
          const { asOf } = await studio.call('attention.list', {});
          if (!isOver) stop = goLive(asOf);
          return;
        } catch (error) {
          if (isShutOut(error)) return forget('This page was ended, or its time is over.');
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        }
      }
    };
    void begin();
    return () => {
      isOver = true;
      stop();
    };
  }, []);
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
letIn(pageHeaders);
void enter();
