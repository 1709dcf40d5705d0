import type { EngineEntry } from '../text/text-engine.js';
import { loadAutomerge } from './automerge.js';
import { loadCojson } from './cojson.js';
import { loadDiamondTypes } from './diamond-types.js';
import { loadJsonJoy } from './json-joy.js';
import { loadLoro } from './loro.js';
import { loadStringSplice } from './string-splice.js';
import { loadYjs } from './yjs.js';

export const rivalEngines: readonly EngineEntry[] = [
  { name: 'string-splice', installed: false, load: loadStringSplice },
  { name: 'yjs', installed: true, load: loadYjs },
  { name: 'json-joy', installed: true, load: loadJsonJoy },
  { name: 'diamond-types', installed: true, load: loadDiamondTypes },
  { name: 'loro', installed: true, load: loadLoro },
  { name: 'automerge', installed: true, load: loadAutomerge },
  { name: 'cojson', installed: true, load: loadCojson },
];
