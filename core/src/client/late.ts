/** What few pages ask for, in one piece: it is loaded when the first of it is. */
export { getBlob, readBlob } from './blobs/getting.js';
export { putBlob } from './blobs/putting.js';
export { lookInto } from './replica/look.js';
