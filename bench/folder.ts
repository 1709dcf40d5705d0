import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** The folder bench/ of the checkout. The bundled program lies one folder lower than this file. */
export const benchFolder = basename(here) === 'dist' ? dirname(here) : here;
