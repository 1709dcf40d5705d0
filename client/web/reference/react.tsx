import { type AnyRoom, type Room } from '@weft/client';
import {
  RoomProvider,
  hooksFor,
  useConflicts,
  useDoc,
  useEdit,
  useEntries,
  useItems,
  useOthers,
  usePresence,
  useReady,
  useRefused,
  useRoom,
  useStatus,
  useText,
  useUndo,
  useValue,
} from '@weft/client/react';
import { type PointerEvent, Suspense } from 'react';

declare const room: Room<AnyRoom>;

// example: RoomProvider
export function App() {
  return (
    <RoomProvider room={room}>
      <Suspense fallback="Opening …">
        <Plan />
      </Suspense>
    </RoomProvider>
  );
}

// example: useReady
export function Plan() {
  useReady();
  return <Title />;
}

// example: useValue
export function Title() {
  return <h1>{useValue<string>('title') ?? 'Untitled'}</h1>;
}

// example: useEdit
export function Rename() {
  const edit = useEdit();
  return <button onClick={() => edit((room) => room.set('title', 'Road map'))}>Call it a road map</button>;
}

// example: useText
export function Body() {
  return <pre>{useText('body')}</pre>;
}

// example: useItems
export function Tasks() {
  return useItems<{ what: string }>('tasks').map(({ what }, place) => <li key={place}>{what}</li>);
}

// example: useEntries
export function Done() {
  // Rendered again when the number is another one, whatever else happens to the cards.
  const done = useEntries<{ done: boolean }, number>('cards/', (cards) => {
    return Object.values(cards).filter((card) => card.done).length;
  });
  return <p>{done} are done.</p>;
}

// example: useDoc
export function Progress() {
  // Rendered again when one of the two numbers is another one.
  const { done, all } = useDoc((doc) => {
    const cards = Object.values(doc.entries<{ done: boolean }>('cards/'));
    return { done: cards.filter((card) => card.done).length, all: cards.length };
  });
  return (
    <p>
      {done} of {all}
    </p>
  );
}

// example: usePresence
export function Pointers() {
  const [others, update] = usePresence<{ x: number }>();
  const move = ({ clientX }: PointerEvent) => update({ x: clientX });
  return <div onPointerMove={move}>{others.map(({ shown }) => shown?.x).join()}</div>;
}

// example: hooksFor
declare module '@weft/client' {
  interface Rooms {
    trip: { values: { where: string; 'days/*': { miles: number } } };
  }
}
const trip = hooksFor('trip');
export function Day({ id }: { readonly id: string }) {
  return (
    <p>
      {trip.useValue('where')}: {trip.useValue(`days/${id}`)?.miles}
    </p>
  );
}

// example: useOthers
export function Here() {
  return useOthers<{ name: string }>().map(({ peer, shown }) => <span key={peer.peerId}>{shown?.name}</span>);
}

// example: useConflicts
export function Choice() {
  const conflicts = useConflicts('title');
  return conflicts.map(({ value, author }) => <p key={author}>{JSON.stringify(value)}</p>);
}

// example: useRefused
export function Refused() {
  const { held, retry, discard } = useRefused();
  return held.map((one) => (
    <p key={one.id}>
      {one.edits.map(({ key }) => key).join(', ')}: {one.reason}{' '}
      <button onClick={() => void retry(one)}>Try again</button>
      <button onClick={() => void discard(one)}>Let go</button>
    </p>
  ));
}

// example: useStatus
export function Connection() {
  const { connection, unsent } = useStatus();
  return <p>{unsent === 0 ? connection : `${unsent} edits to be sent`}</p>;
}

// example: useUndo
export function Undo() {
  const { canUndo, undo } = useUndo({ keys: ['title'] });
  return (
    <button disabled={!canUndo} onClick={undo}>
      Undo
    </button>
  );
}

// example: useRoom
export function Name() {
  return <p>{useRoom().name}</p>;
}
