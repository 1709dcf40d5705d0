/** Palette: goes anywhere and does anything by a few letters; and the help, which lists the keys. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { allKeys, letterKeys, setLetterKeys } from './core/keys.js';
import { PLACES } from './core/places.js';
import { useQuery, useSteady } from './core/query.js';
import { go, pathTo } from './core/route.js';
import { titleOf } from './parts/text.js';

type Open = 'none' | 'palette' | 'help';
const open = signal<Open>('none');

export function openPalette(): void {
  open.value = 'palette';
}

export function openHelp(): void {
  open.value = 'help';
}

interface Entry {
  readonly name: string;
  /** What its words are looked for in. */
  readonly text: string;
  readonly kind: string;
  readonly run: () => void;
}

export function Palette() {
  if (open.value === 'palette') return <Finder />;
  return open.value === 'help' ? <Help /> : null;
}

/** A dialog that gives the focus back to what had it. */
function useDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before anything is painted: the letters that follow the key belong to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return dialog;
}

function close(): void {
  open.value = 'none';
}

const MOST_SHOWN = 12;
/** Letters that the studio takes of words. */
const MOST_ASKED = 200;
/** Time without another letter after which the studio is asked. */
const PAUSE_MS = 120;

/** What can be gone to or done whatever the record holds. */
const ALWAYS: readonly Entry[] = [
  ...PLACES.map(({ view, name }) => ({ name, text: name, kind: 'view', run: () => go(`/${view}`) })),
  { name: 'Set a goal', text: 'Set a goal', kind: 'do', run: () => go('/goals/new') },
  { name: 'Show the keys', text: 'Show the keys', kind: 'do', run: openHelp },
];
const KINDS: ReadonlySet<string> = new Set(['goal', 'review', 'unit']);

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Words that the studio is asked for: it does not know what the palette calls its rows. */
function askedFor(words: string): string {
  return wordsOf(words)
    .filter((word) => !KINDS.has(word))
    .join(' ')
    .slice(0, MOST_ASKED);
}

/** A value that is taken once it has not changed for a while. */
function useLater(value: string): string {
  const [taken, take] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => take(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return taken;
}

function Finder() {
  const dialog = useDialog();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const asked = useLater(askedFor(words));
  const isAsked = words.trim() !== '';
  const narrow = asked === '' ? { newest: MOST_SHOWN } : { words: asked, newest: MOST_SHOWN };
  const goals = useSteady(useQuery('goal.list', narrow, isAsked));
  const units = useSteady(useQuery('workunit.list', narrow, isAsked));
  const proposals = useSteady(useQuery('merge.list', narrow, isAsked));
  const isComing =
    isAsked && (asked !== askedFor(words) || [goals, units, proposals].some(({ isLoading }) => isLoading));
  const recorded = useMemo<Entry[]>(
    () => [
      ...(goals.data?.goals ?? []).toReversed().map(({ goal, goalId }) => ({
        name: titleOf(goal),
        text: `${goalId} ${goal}`,
        kind: 'goal',
        run: () => go(pathTo('goals', goalId)),
      })),
      ...(proposals.data ?? []).toReversed().map(({ summary, goal, proposalId }) => ({
        name: titleOf(summary),
        text: `${proposalId} ${summary} ${goal}`,
        kind: 'review',
        run: () => go(pathTo('reviews', proposalId)),
      })),
      ...(units.data ?? []).toReversed().map(({ goal, workUnitId }) => ({
        name: titleOf(goal),
        text: `${workUnitId} ${goal}`,
        kind: 'unit',
        run: () => go(pathTo('units', workUnitId)),
      })),
    ],
    [goals.data, proposals.data, units.data],
  );
  const found = useMemo(
    () => matching(isAsked ? [...ALWAYS, ...recorded] : ALWAYS, words).slice(0, MOST_SHOWN),
    [recorded, words],
  );
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    close();
    entry.run();
  };
  // Whoever types fast presses Enter before the studio has answered.
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isDue || isComing) return;
    setDue(false);
    run(found[0]);
  }, [isDue, isComing]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Enter' && found.length === 0) setDue(isComing);
    else if (event.key === 'Enter') run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Find or do anything" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found[at] === undefined ? undefined : `found-${at}`}
        aria-label="Words of what you look for"
        placeholder="A view, a goal, a review …"
        autocomplete="off"
        value={words}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
          setDue(false);
        }}
        onKeyDown={onKey}
      />
      <ul id="found" role="listbox" aria-label="Found">
        {found.map((entry, place) => (
          <li
            key={`${entry.kind} ${entry.name} ${place}`}
            id={`found-${place}`}
            role="option"
            aria-selected={place === at}
            onClick={() => run(entry)}
          >
            <span class="cut">{entry.name}</span> <span class="quiet">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="empty">{isComing ? 'Looking …' : 'Nothing is called so.'}</p>}
    </dialog>
  );
}

/** Entries in which all words occur: those that begin with one first. */
function matching(entries: readonly Entry[], words: string): readonly Entry[] {
  const wanted = wordsOf(words);
  if (wanted.length === 0) return entries;
  const rank = ({ name }: Entry): number => (name.toLowerCase().startsWith(wanted[0] ?? '') ? 0 : 1);
  return entries
    .filter(({ text, kind }) => wanted.every((word) => `${text} ${kind}`.toLowerCase().includes(word)))
    .toSorted((a, b) => rank(a) - rank(b));
}

function Help() {
  const dialog = useDialog();
  return (
    <dialog ref={dialog} class="palette" aria-label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {allKeys().map(({ keys, does }) => (
          <div key={`${keys} ${does}`}>
            <dt>
              <kbd>{keys.replace('Mod+', '⌘/Ctrl ')}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={letterKeys.value}
          onChange={(event) => setLetterKeys(event.currentTarget.checked)}
        />
        Single letters do something
      </label>
      <form method="dialog">
        <button class="main">Close</button>
      </form>
    </dialog>
  );
}
