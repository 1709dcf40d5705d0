/** The page: the fields of a plan and those of its fork, side by side, with what merging would change. */
import { openRoom } from '@weft/client';
import html from './page.html';

document.body.innerHTML = html;
const find = (id) => document.getElementById(id);
const FIELDS = ['title', 'budget', 'due'];
const ask = async (...path) => (await fetch(`/${path.map(encodeURIComponent).join('/')}`, { method: 'POST' })).json();
const tell = (text) => (find('told').textContent = text);

const plan = openRoom('plan', { url: ROOMS });
await plan.joined;
let draft; // the room beside it, when there is one
let changes = new Map(); // what merging the draft would change, by name

/** Fields of a room: what is typed is in the room at once, and on every page. */
function fieldsOf(id, roomOf) {
  const rows = FIELDS.map((name) => {
    const row = document.createElement('label');
    row.innerHTML = `<span>${name}</span><input name="${name}"><button hidden>Merge</button>`;
    const [, field, button] = row.children;
    field.oninput = () => roomOf().set(`plan/${name}`, field.value);
    button.onclick = () => merge(name);
    return row;
  });
  find(id).append(...rows);
  return () => {
    for (const row of rows) {
      const [, field, button] = row.children;
      const value = roomOf()?.get(`plan/${field.name}`) ?? '';
      if (field.value !== value) field.value = value;
      const change = roomOf() === draft ? changes.get(`plan/${field.name}`) : undefined;
      row.className = change ? (change.is_conflict ? 'both' : 'changed') : '';
      row.hidden = !roomOf();
      button.hidden = !change;
      // Both have changed it: of two values the later one stands, wherever it was written.
      button.textContent = !change?.is_conflict ? 'Merge' : change.stands === 'child' ? 'Take this' : "Keep the plan's";
    }
  };
}
const showPlan = fieldsOf('plan', () => plan);
const showDraft = fieldsOf('draft', () => draft);

function show() {
  showPlan();
  showDraft();
  find('fork').hidden = draft !== undefined;
}

/** Asks what merging would do, one question at a time, and none while somebody types: the plan remembers each. */
let asking = Promise.resolve();
let isWaiting = false;
function preview() {
  show();
  if (!draft || isWaiting) return;
  isWaiting = true;
  asking = asking.then(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    isWaiting = false;
    await Promise.all([plan.sent(), draft.sent()]);
    const { changes: found = [] } = await ask('preview', draft.name);
    changes = new Map(found.map((change) => [change.key, change]));
    show();
  });
}

async function merge(name) {
  const isConflict = changes.get(`plan/${name}`).is_conflict;
  const { refused } = await ask('merge', draft.name, `plan/${name}`, isConflict ? 'anyway' : 'as it is');
  if (refused) tell(`not merged: ${refused.reason_message}`);
  else plan.set('merged', { name, at: Date.now() }); // every page is told
}

/** The plan says which draft there is; whoever opens the page later sees it too. */
async function enter() {
  const name = plan.get('draft');
  if (draft || !name) return;
  draft = openRoom(name, { url: ROOMS });
  find('draft').dataset.room = name;
  await draft.joined;
  draft.observe({ prefix: 'plan/' }, preview);
  preview();
}

find('fork').onclick = async () => {
  const { refused } = await ask('fork');
  if (refused) tell(`no draft: ${refused.reason_message}`);
};
plan.observe({ prefix: 'plan/' }, preview);
plan.observe('merged', () => {
  tell(`${plan.get('merged').name} is merged into the plan`);
  preview(); // where the plan's stays, no value of it has changed
});
plan.observe('draft', enter);
show();
await enter();
