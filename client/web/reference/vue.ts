import type { AnyRoom, Room } from '@weft/client';
import {
  useConflicts,
  useEntries,
  useItems,
  useOthers,
  useRefused,
  useStatus,
  useText,
  useUndo,
  useValue,
} from '@weft/client/vue';

declare const room: Room<AnyRoom>;

// example: useValue
const title = useValue(room, 'title'); // <input v-model="title">
title.value = 'Road map';

// example: useEntries
const cards = useEntries(room, 'cards/'); // <li v-for="(card, name) in cards">

// example: useItems
const tasks = useItems(room, 'tasks'); // <li v-for="task in tasks">

// example: useText
const body = useText(room, 'body'); // <pre>{{ body }}</pre>

// example: useOthers
const here = useOthers(room);
console.log(here.value.length);

// example: useStatus
const status = useStatus(room); // {{ status.unsent }}

// example: useUndo
const undo = useUndo(room, { keys: ['title'] }); // <button :disabled="!undo.canUndo" @click="undo.undo">

// example: useConflicts
const titles = useConflicts(room, 'title'); // v-if="titles.length > 1"

// example: useRefused
const held = useRefused(room);
console.log(held.value.held);
