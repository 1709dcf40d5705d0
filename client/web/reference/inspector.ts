import type { AnyRoom, Room } from '@weft/client';
import { WeftInspector, defineInspector, inspect } from '@weft/client/inspector';

declare const room: Room<AnyRoom>;

// example: inspect
const inspector = inspect(room); // at the end of the page
inspector.remove();

// example: defineInspector
defineInspector(); // for a page that has <weft-inspector></weft-inspector> in a place of its own

// example: WeftInspector
const placed = document.querySelector('weft-inspector');
if (placed instanceof WeftInspector) placed.room = room;
