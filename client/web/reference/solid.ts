import type { AnyRoom, Room } from '@weft/client';
import {
  createConflicts,
  createEntries,
  createItems,
  createOthers,
  createRefused,
  createStatus,
  createText,
  createUndo,
  createValue,
} from '@weft/client/solid';

declare const room: Room<AnyRoom>;

// example: createValue
const [title, setTitle] = createValue(room, 'title');
setTitle('Road map');
console.log(title());

// example: createEntries
const cards = createEntries(room, 'cards/'); // <For each={Object.entries(cards())}>

// example: createItems
const tasks = createItems(room, 'tasks'); // <For each={tasks()}>

// example: createText
const body = createText(room, 'body'); // <pre>{body()}</pre>

// example: createOthers
const here = createOthers(room);
console.log(here().length);

// example: createStatus
const status = createStatus(room);
console.log(status().unsent);

// example: createUndo
const undo = createUndo(room, { keys: ['title'] });
if (undo().canUndo) undo().undo();

// example: createConflicts
const titles = createConflicts(room, 'title');
console.log(titles().length > 1);

// example: createRefused
const held = createRefused(room);
console.log(held().held);
