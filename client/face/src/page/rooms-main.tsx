/** The page about rooms alone, which a room server without a studio serves: whoever has the operator's token is let in. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { route } from './core/route.js';
import { Notes } from './parts/notes.js';
import { ThemeButton } from './parts/theme.js';
import { Field, Heading } from './parts/ui.js';
import { WordError, letIn, listRooms } from './rooms/client.js';
import { RoomsView } from './rooms/rooms.js';

const KEY = 'weft.admin';

/** Kept for this tab alone: no cookie, so nothing is sent that this page does not send. */
const token = signal(sessionStorage.getItem(KEY) ?? '');

letIn((): Readonly<Record<string, string>> => (token.value === '' ? {} : { authorization: `Bearer ${token.value}` }));

function leave(): void {
  sessionStorage.removeItem(KEY);
  token.value = '';
}

function App() {
  if (token.value === '') return <Out />;
  const { view, rest } = route.value;
  return (
    <>
      <header class="top">
        <a class="brand" href="/rooms">
          Weft
        </a>
        <span class="grow quiet">room server</span>
        <ThemeButton />
        <button type="button" class="ghost" onClick={leave}>
          Leave
        </button>
      </header>
      <main id="main" tabIndex={-1} class="alone">
        <RoomsView key={view} rest={view === 'rooms' ? rest : []} />
      </main>
      <Notes />
    </>
  );
}

function Out() {
  const [given, setGiven] = useState('');
  const [why, setWhy] = useState('');
  const enter = async (): Promise<void> => {
    letIn(() => ({ authorization: `Bearer ${given.trim()}` }));
    try {
      await listRooms();
      sessionStorage.setItem(KEY, given.trim());
      token.value = given.trim();
      letIn(() => ({ authorization: `Bearer ${token.value}` }));
    } catch (error) {
      setWhy(
        error instanceof WordError && error.status === 401
          ? 'That is not the token of this server.'
          : String(error instanceof Error ? error.message : error),
      );
    }
  };
  return (
    <main class="out">
      <Heading title="Weft" />
      {why !== '' && <p role="alert">{why}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <Field
          label="Token of the operator"
          name="token"
          type="password"
          value={given}
          onInput={setGiven}
          hint="It stands in admin.token of the server's data folder, or was given as WEFT_ADMIN_TOKEN."
        />
        <button type="submit" class="main" disabled={given.trim() === ''}>
          Enter
        </button>
      </form>
    </main>
  );
}

document.title = 'Weft rooms';
const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
