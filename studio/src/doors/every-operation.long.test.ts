import { askEveryOperation } from '../testing/doors/every-operation.js';

askEveryOperation(100);
