/** The page: what the budget is and was, whose signature stands under it, a proof of one amount, and an archive that is checked. */
import { openRoom } from '@weft/client';
import { verifyRegister } from '@weft/core/proofs';
import html from './page.html';

document.body.innerHTML = html;
const find = (id) => document.getElementById(id);
const ask = async (path) => (await fetch(path)).json();

const room = openRoom('budget', { url: ROOMS });
await room.joined;
const people = await ask('/people');
const nameOf = (key) => people[key] ?? 'a page like this';

/** This copy of the history says who wrote what: nobody need trust the server for it. */
function showNow() {
  find('now').replaceChildren(
    ...Object.entries(room.entries('')).map(([key, amount]) => {
      const row = document.createElement('tr');
      row.id = key;
      row.innerHTML = `<td></td><td class="amount"><input type="number"></td><td class="by"></td><td><button>Prove</button></td>`;
      row.cells[0].textContent = key;
      row.querySelector('.by').textContent = nameOf(room.replica.why(key).author);
      const field = row.querySelector('input');
      field.value = amount;
      field.onchange = () => room.set(key, Number(field.value));
      row.querySelector('button').onclick = () => prove(key);
      return row;
    }),
  );
}

/** Who has no copy is shown one value, with a proof that the whole state commits to it. */
async function prove(key) {
  await room.sent();
  await room.replica.hashed();
  const { value, proof } = room.replica.prove(key);
  const stateHash = await ask('/hash'); // in the other's hands already, from the server or somebody else
  const isProved = verifyRegister(proof, stateHash, key, value);
  const other = value.with(value.length - 1, value.at(-1) ^ 1);
  const isOtherProved = verifyRegister(proof, stateHash, key, other);
  say('proof', isProved && !isOtherProved, [
    `${key} is ${room.get(key)}: ${isProved ? 'proved' : 'not proved'} by ${proof.length} bytes under ${stateHash.slice(0, 8)}…; `,
    `another amount: ${isOtherProved ? 'proved' : 'not proved'}`,
  ]);
}

function say(id, isGood, texts) {
  find(id).className = isGood ? 'good' : 'bad';
  find(id).textContent = texts.join('');
}

/** The log, and what the room held at one moment of it. */
async function showThen() {
  const changes = await ask('/changes');
  const last = changes.length;
  const isAtEnd = !find('when').max || find('when').value === find('when').max;
  find('when').max = last;
  if (isAtEnd) find('when').value = last;
  const moment = Number(find('when').value);
  find('changes').replaceChildren(
    ...changes.map(({ author, key, value }, index) => {
      const line = document.createElement('li');
      line.className = index < moment ? 'then' : '';
      line.textContent = `${nameOf(author)}: ${key} ${value}`;
      return line;
    }),
  );
  find('moment').textContent = moment === last ? 'now' : `change ${moment} of ${last}`;
  const held = await ask(`/as-of/${changes[moment - 1].after}`);
  find('then').textContent = Object.entries(held)
    .map((one) => one.join(' '))
    .join(', ');
}

/** An archive is checked whole: every id, signature and hash is computed anew. */
async function check(name) {
  const { accepted, checks, reason_message } = await ask(`/archive/${name}`);
  say('archive', accepted === true, accepted ? [`accepted: ${checks.join(', ')}`] : [`refused: ${reason_message}`]);
}

find('when').oninput = showThen;
find('check').onclick = () => check('budget.weft');
find('tamper').onclick = () => check('altered.weft');
const show = async () => {
  showNow();
  await room.sent();
  await showThen();
};
room.observe({ prefix: '' }, show);
await show();
