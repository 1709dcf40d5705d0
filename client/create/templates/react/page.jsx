import { openRoom } from '@weft/client';
import { indexedDb } from '@weft/client/indexeddb';
import { RoomProvider, useEdit, useEntries, useReady, useStatus } from '@weft/client/react';
import { Suspense } from 'react';
import { createRoot } from 'react-dom/client';

const room = openRoom('tasks', { url: globalThis.WEFT_URL, storage: indexedDb() });

function Tasks() {
  useReady();
  const tasks = useEntries('tasks/');
  const { connection, unsent } = useStatus();
  const edit = useEdit();
  const add = (event) => {
    event.preventDefault();
    const title = new FormData(event.target).get('title');
    edit((write) => write.set(`tasks/${crypto.randomUUID()}`, { title, done: false }));
    event.target.reset();
  };
  return (
    <>
      <form onSubmit={add}>
        <input name="title" aria-label="New task" required />
        <button>Add</button>
      </form>
      <ul>
        {Object.entries(tasks).map(([key, task]) => (
          <li key={key}>
            <label>
              <input
                type="checkbox"
                checked={task.done}
                onChange={() => edit((write) => write.set(key, { ...task, done: !task.done }))}
              />
              {task.title}
            </label>
          </li>
        ))}
      </ul>
      <p>
        {connection}, {unsent} unsent
      </p>
    </>
  );
}

createRoot(document.querySelector('#app')).render(
  <RoomProvider room={room}>
    <Suspense fallback="Opening …">
      <Tasks />
    </Suspense>
  </RoomProvider>,
);
