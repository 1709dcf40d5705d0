/** The page: three columns of cards, of which those are drawn that one sees. A card is drawn again when it changes, and no other. */
import { openRoom } from '@weft/client';
import { RoomProvider, useEdit, useEntries, useReady, useValue } from '@weft/client/react';
import { Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';

const COLUMNS = ['todo', 'doing', 'done'];
const ROW = 36;
const HEIGHT = 432;

function Card({ id, top }) {
  const card = useValue(id);
  const edit = useEdit();
  const move = (by) => {
    const column = COLUMNS[COLUMNS.indexOf(card.column) + by];
    if (column) edit((room) => room.set(id, { ...card, column }));
  };
  return (
    <li data-card={id} style={{ position: 'absolute', top, height: ROW }}>
      <button onClick={() => move(-1)}>←</button> {card.text} <button onClick={() => move(1)}>→</button>
    </li>
  );
}

function Column({ name }) {
  const ids = useEntries('cards/', (cards) => Object.keys(cards).filter((id) => cards[id].column === name));
  const [scrolled, setScrolled] = useState(0);
  const first = Math.floor(scrolled / ROW);
  const shown = ids.slice(first, first + HEIGHT / ROW + 1);
  return (
    <section id={name} style={{ width: 220 }}>
      <h2>
        {name} <small>{ids.length}</small>
      </h2>
      <div style={{ height: HEIGHT, overflow: 'auto' }} onScroll={({ target }) => setScrolled(target.scrollTop)}>
        <ul style={{ position: 'relative', height: ids.length * ROW, margin: 0, padding: 0 }}>
          {shown.map((id, i) => (
            <Card key={id} id={id} top={(first + i) * ROW} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Board() {
  useReady();
  return (
    <main style={{ display: 'flex', gap: 16 }}>
      {COLUMNS.map((name) => (
        <Column key={name} name={name} />
      ))}
    </main>
  );
}

const room = openRoom('board', { url: ROOMS });
createRoot(document.body.appendChild(document.createElement('div'))).render(
  <RoomProvider room={room}>
    <Suspense fallback={<p>opening …</p>}>
      <Board />
    </Suspense>
  </RoomProvider>,
);
