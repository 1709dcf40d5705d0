import { askEveryOperation } from '../testing/every-operation.js';

askEveryOperation(100);
