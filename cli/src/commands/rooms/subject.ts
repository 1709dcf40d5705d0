/** People above keys: a subject's own key, which signs no edits, and what it says of the keys of its devices. */
import { type MandateClaims, makeMandate } from '@weft/core';
import { hexOf, keyIn, keyNamed, keyOrNew, scopeOf } from '../../serving/root-keys.js';
import { cliCommand } from '../../syntax/define.js';
import { jsonFlag } from '../../syntax/flags.js';

const subjectFlag = {
  summary: 'File with the key of the person.',
  value: 'file',
  isRequired: true,
} as const;
const roomFlag = {
  summary: 'Id of the genesis of the one room that it is for; all rooms without.',
  value: 'hex',
} as const;

export const key = cliCommand({
  flags: {
    subject: { ...subjectFlag, summary: 'File with the key of the person, which is made where there is none.' },
    json: jsonFlag,
  },
}).run(async ({ subject, json }, terminal) => {
  const { publicKey } = await keyOrNew(subject!, terminal);
  terminal.out(json ? JSON.stringify({ subject: publicKey }) : publicKey);
});

export const delegate = cliCommand({
  flags: {
    subject: subjectFlag,
    to: { summary: 'Public key of a device, or of a slot of a page.', value: 'hex', isRequired: true },
    room: roomFlag,
    json: jsonFlag,
  },
}).run(async ({ subject, to, room, json }, terminal) => {
  const signer = await keyIn(subject!, terminal);
  const claims: MandateClaims = { key: keyNamed('to', to!), ...scopeOf(room) };
  const delegation = hexOf(await makeMandate('delegate', claims, signer));
  terminal.out(json ? JSON.stringify({ subject: signer.publicKey, delegation }) : delegation);
  terminal.err(
    'weft: give it to the client as delegation: what the key writes from its first node on is of the person',
  );
});

export const revoke = cliCommand({
  flags: {
    subject: subjectFlag,
    of: { summary: 'Public key of the device that is lost.', value: 'hex', isRequired: true },
    room: roomFlag,
    json: jsonFlag,
  },
}).run(async ({ subject, of, room, json }, terminal) => {
  const signer = await keyIn(subject!, terminal);
  const word = hexOf(await makeMandate('delegate-revoked', { key: keyNamed('of', of!), ...scopeOf(room) }, signer));
  terminal.out(json ? JSON.stringify({ subject: signer.publicKey, word }) : word);
  terminal.err('weft: say it in each room that the key was used in: weft room revoke-keys <room> --word <word>');
});
