/** The page of a plan: its fields are values of the room, which others and the application's routes write as well. */
import { openRoom } from '@weft/client';

const { url } = await (await fetch('/live')).json(); // where the application has its rooms
const room = openRoom('one', { url });

await room.joined;
for (const field of document.querySelectorAll('input')) {
  const key = `plan/${field.name}`;
  const show = () => (field.value = room.get(key) ?? '');
  field.oninput = () => room.set(key, field.value);
  room.observe(key, show);
  show();
}

document.querySelector('button').onclick = async () => {
  await room.sent(); // what is typed is on the server, and so in what the route reads
  const plan = await (await fetch('/plans/one')).json();
  document.querySelector('pre').textContent = JSON.stringify(plan, null, 2);
};

const line = document.querySelector('output');
const tell = () => (line.textContent = room.status.connection);
room.onStatus(tell);
tell();
