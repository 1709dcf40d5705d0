/** Frame of every view: where one can go, what waits, whether the picture is live, and what actions have said. */
import { useEffect } from 'preact/hooks';
import { tried } from './core/act.js';
import { type ComponentType, lazy } from './core/lazy.js';
import { useKeys } from './core/keys.js';
import { connection, seen } from './core/live.js';
import { PLACES } from './core/places.js';
import { undoLast } from './core/notes.js';
import { tellOf } from './core/notify.js';
import { useQuery } from './core/query.js';
import { go, route } from './core/route.js';
import { isDemonstration, leave } from './core/session.js';
import { Palette, openHelp, openPalette } from './palette.js';
import { Notes } from './parts/notes.js';
import { titleOf } from './parts/text.js';
import { ThemeButton } from './parts/theme.js';
import { Empty, Heading } from './parts/ui.js';
import { Inbox } from './views/inbox.js';

const views: Readonly<Record<string, ComponentType<{ rest: readonly string[] }>>> = {
  inbox: Inbox,
  goals: lazy(async () => (await import('./views/work.js')).GoalsView),
  units: lazy(async () => (await import('./views/work.js')).UnitsView),
  reviews: lazy(async () => (await import('./views/reviewing.js')).ReviewsView),
  recover: lazy(async () => (await import('./views/work.js')).RecoverView),
  candidate: lazy(async () => (await import('./views/work.js')).CandidateView),
  conflicts: lazy(async () => (await import('./views/more.js')).ConflictsView),
  knowledge: lazy(async () => (await import('./views/more.js')).Knowledge),
  agents: lazy(async () => (await import('./views/more.js')).AgentsView),
  spend: lazy(async () => (await import('./views/more.js')).Spend),
  audit: lazy(async () => (await import('./views/more.js')).Audit),
  time: lazy(async () => (await import('./views/more.js')).Past),
  settings: lazy(async () => (await import('./views/more.js')).Settings),
  rooms: lazy(async () => (await import('./views/rooms.js')).StudioRooms),
  repositories: lazy(async () => (await import('./views/work.js')).RepositoriesView),
};

const NextStep = lazy(async () => (await import('./views/demonstration.js')).NextStep);

export function Shell() {
  const { view, rest } = route.value;
  const attention = useQuery('attention.list', {});
  const waiting = attention.data?.items.length ?? 0;
  useEffect(() => {
    if (attention.data) tellOf(attention.data.items, ({ sentence }) => titleOf(sentence));
  }, [attention.data]);
  useEffect(() => {
    // On a phone the views stand in one line that is longer than the screen. Asked before a frame, it would cost a layout of its own.
    const frame = requestAnimationFrame(() =>
      document.querySelector('.rail [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [view]);
  document.title = waiting > 0 ? `(${waiting}) Weft` : 'Weft';
  useKeys([
    ...PLACES.map((place) => ({ keys: place.keys, does: `Go to ${place.name}`, run: () => go(`/${place.view}`) })),
    { keys: 'g n', does: 'Set a goal', run: () => go('/goals/new') },
    { keys: 'Mod+k', does: 'Find or do anything', run: openPalette },
    { keys: '?', does: 'Show the keys', run: openHelp },
    { keys: 'z', does: 'Undo the last action, while its message stands', run: undoLast },
    { keys: 'Escape', does: 'Back', run: () => history.back() },
  ]);
  const View = views[view] ?? NotHere;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        To the content
      </a>
      <header class="top">
        <a class="brand" href="/inbox">
          Weft
        </a>
        <button type="button" class="find grow" onClick={openPalette}>
          Find or do anything <kbd>⌘K</kbd>
        </button>
        <Live />
        <ThemeButton />
        <button type="button" class="ghost" onClick={() => void tried(leave)} title="End this page in this browser">
          Leave
        </button>
      </header>
      <nav class="rail" aria-label="Views">
        {PLACES.map((place) => (
          <a key={place.view} href={`/${place.view}`} aria-current={place.view === view ? 'page' : undefined}>
            {place.name}
            {place.view === 'inbox' && waiting > 0 && <span class="badge">{waiting}</span>}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        {isDemonstration.value && <NextStep />}
        <View key={view} rest={rest} />
      </main>
      <p class="hidden" role="status">
        {attention.data === undefined ? '' : `${waiting} wait for you`}
      </p>
      <Notes />
      <Palette />
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function NotHere() {
  return (
    <>
      <Heading title="There is no such view" />
      <Empty>
        <a href="/inbox">To the inbox</a>
      </Empty>
    </>
  );
}

const SAID = { connecting: 'connecting', live: 'live', broken: 'not live: connecting again' } as const;

function Live() {
  return (
    <span class="live" data-state={connection.value} role="status" title={`newest event ${seen.value}`}>
      {SAID[connection.value]}
    </span>
  );
}
