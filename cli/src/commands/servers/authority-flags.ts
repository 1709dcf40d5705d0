/** Flags that several words of an authority have. */
import { PASSPHRASE } from '../../serving/key-file.js';

export const authorityFlag = {
  summary: 'Authority file, which servers are given.',
  value: 'file',
  default: './authority.json',
} as const;
export const rootFlag = {
  summary: `Key file of the root, or of several, with commas between them; under a passphrase, that is in ${PASSPHRASE}.`,
  value: 'file',
  isRequired: true,
} as const;
export const roomFlag = {
  summary: 'Id of the genesis of the one room that it is for; all rooms without.',
  value: 'hex',
} as const;
