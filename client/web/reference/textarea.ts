import { type AnyRoom, type Room, createUndo } from '@weft/client';
import { SHARED, bindTextField } from '@weft/client/textarea';

declare const room: Room<AnyRoom>;
declare const field: HTMLTextAreaElement;

// example: bindTextField
const unbind = bindTextField(room.replica, 'body', field);
addEventListener('pagehide', unbind);

// example: SHARED
// One undo for the text in the editor and a title beside it.
const undo = createUndo(room, { keys: ['body', 'title'], origins: [SHARED] });
bindTextField(room.replica, 'body', field, { undo });
