/** Rooms: all that the server holds, and each of them from its keys to its history. For who administers the server. */
import { useRef, useState } from 'preact/hooks';
import { useKeys } from '../core/keys.js';
import { go, pathTo } from '../core/route.js';
import { visible } from '../parts/text.js';
import { Empty, Field, Heading, Read, State, Tabs, many } from '../parts/ui.js';
import { lazy } from '../core/lazy.js';
import { Family } from './family.js';
import { Keep } from './keep.js';
import { KeysTab } from './keys-tab.js';
import { PeersTab } from './peers-tab.js';
import { Rights } from './rights.js';
import { bytes, freshColours } from './show.js';
import { useRooms, useWord } from './use-words.js';

const GraphTab = lazy(async () => (await import('./graph-tab.js')).GraphTab);

export function RoomsView({ rest: [room, tab, ...more] }: { readonly rest: readonly string[] }) {
  if (room === undefined) return <List />;
  return <Room key={room} room={room} tab={tab} more={more} />;
}

function List() {
  const rooms = useRooms();
  const [words, setWords] = useState('');
  const rates = useRates(rooms.data);
  const list = useRef<HTMLTableElement>(null);
  const step = (by: number): void => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('tbody a') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  useKeys([
    { keys: 'j', does: 'Next room', run: () => step(1) },
    { keys: 'k', does: 'Room before', run: () => step(-1) },
    { keys: '/', does: 'Find rooms', run: () => document.querySelector<HTMLElement>('[name=find]')?.focus() },
  ]);
  return (
    <>
      <Heading title="Rooms" />
      <Field label="Find" name="find" value={words} onInput={setWords} />
      <Read of={rooms}>
        {(all) => {
          const found = all.filter(({ room }) => room.toLowerCase().includes(words.trim().toLowerCase()));
          if (all.length === 0)
            return <Empty>No room holds anything yet. One begins when somebody writes to it.</Empty>;
          if (found.length === 0) return <Empty>No room is called so.</Empty>;
          return (
            <table ref={list} class="rooms">
              <thead>
                <tr>
                  <th>Room</th>
                  <th class="right">Nodes</th>
                  <th class="right">Log</th>
                  <th class="right">Written</th>
                  <th>State</th>
                </tr>
              </thead>
              <tbody>
                {found.slice(0, MOST_SHOWN).map(({ room, nodes, bytes: size, shut }) => (
                  <tr key={room}>
                    <td>
                      <a href={pathTo('rooms', room)}>{visible(room)}</a>
                    </td>
                    <td class="right">{nodes}</td>
                    <td class="right">{bytes(size)}</td>
                    <td class="right">{rates.get(room) ?? 0}/s</td>
                    <td>
                      {shut === undefined ? '' : <State is="Blocked" />} {shut !== undefined && visible(shut)}
                    </td>
                  </tr>
                ))}
              </tbody>
              {found.length > MOST_SHOWN && (
                <caption>
                  The first {MOST_SHOWN} of {found.length}; find others by their names.
                </caption>
              )}
            </table>
          );
        }}
      </Read>
    </>
  );
}

const MOST_SHOWN = 500;

/** Nodes a second of each room, between the last two looks. */
function useRates(rooms: readonly { readonly room: string; readonly nodes: number }[] | undefined) {
  const last = useRef<{ at: number; of: typeof rooms; rates: ReadonlyMap<string, number> }>({
    at: performance.now(),
    of: undefined,
    rates: new Map(),
  });
  const { current: known } = last;
  if (rooms !== undefined && rooms !== known.of) {
    const now = performance.now();
    const before = new Map(known.of?.map(({ room, nodes }) => [room, nodes]));
    const seconds = Math.max(0.001, (now - known.at) / 1000);
    const rates = rooms.map(({ room, nodes }) => {
      const grown = nodes - (before.get(room) ?? nodes);
      return [room, Math.max(0, Math.round(grown / seconds))] as const;
    });
    last.current = { at: now, of: rooms, rates: new Map(rates) };
  }
  return last.current.rates;
}

const TABS = ['Keys', 'Peers', 'Rights', 'Graph', 'Family', 'Keep'] as const;

function Room({
  room,
  tab = 'keys',
  more,
}: {
  readonly room: string;
  readonly tab: string | undefined;
  readonly more: readonly string[];
}) {
  useState(freshColours);
  const about = useWord('room-inspect', { room }, 5_000);
  const open = TABS.find((name) => name.toLowerCase() === tab) ?? 'Keys';
  useKeys(
    TABS.map((name, at) => ({
      keys: String(at + 1),
      does: `${name} of the room`,
      run: () => go(pathTo('rooms', room, name.toLowerCase())),
    })),
  );
  const { data } = about;
  return (
    <>
      <Heading title={<>Room {visible(room)}</>}>
        {data?.shut !== undefined && <State is="Blocked" />}
        {data?.is_locked === true && <span class="state wanted">locked</span>}
        {data && (
          <span class="quiet">
            {many(data.nodes, 'node')} · {bytes(data.bytes)} · {many(data.heads?.length ?? 0, 'head')} ·{' '}
            {many(data.blobs, 'blob')}
          </span>
        )}
        <a href="/rooms">All rooms</a>
      </Heading>
      {data?.shut !== undefined && <p class="failed">It is quarantined: {visible(data.shut)}</p>}
      <Tabs names={TABS} open={open} onOpen={(name) => go(pathTo('rooms', room, name.toLowerCase()))} />
      <Read of={about}>
        {(inspected) => (
          <div role="tabpanel" aria-label={open}>
            {open === 'Keys' && <KeysTab room={room} nodes={inspected.nodes} wanted={more[0]} />}
            {open === 'Peers' && <PeersTab room={room} />}
            {open === 'Rights' && <Rights about={inspected} />}
            {open === 'Graph' && <GraphTab room={room} />}
            {open === 'Family' && <Family room={room} />}
            {open === 'Keep' && <Keep about={inspected} />}
          </div>
        )}
      </Read>
    </>
  );
}
