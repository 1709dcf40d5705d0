/** Files of the page about rooms, for a room server that has no studio beside it. Loads nothing else of the studio. */
export { roomsFile } from './doors/face/face-files.js';
