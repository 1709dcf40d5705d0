import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The folder bench/ of the checkout: this file and the bundled program both lie one folder lower. */
export const benchFolder = dirname(here);
