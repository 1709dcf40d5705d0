/**
 * What few pages ask for, in one piece: it is loaded when the first of it is. Each piece more would cut what is loaded at first into
 * smaller ones, which compress worse.
 */
export { StateHash } from '../crdt/state-hash.js';
export { valueRootOf } from '../crdt/value-tree/shown-of.js';
export { HeldIds } from '../reconcile/held-ids.js';
export { Initiator } from '../reconcile/initiator.js';
export { keyChecks, keyRulesOf } from '../room/admission/known-keys.js';
export { permittingBy } from '../room/admission/permissions.js';
export { Laws } from '../room/state/laws.js';
export { Speakers } from '../room/state/speakers.js';
export { getBlob, readBlob } from './blobs/getting.js';
export { putBlob } from './blobs/putting.js';
export { givingUp } from './replica/giving-up.js';
export { lookInto } from './replica/look.js';
export { givenUpHere } from './replica/given-up-here.js';
