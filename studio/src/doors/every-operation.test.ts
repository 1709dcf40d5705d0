import { askEveryOperation } from '../testing/doors/every-operation.js';

/** More of them are in `every-operation.long.test.ts`. */
askEveryOperation(7);
