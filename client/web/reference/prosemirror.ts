import type { AnyRoom, Room } from '@weft/client';
import { documentOf, redo, sharedDocument, undo } from '@weft/client/prosemirror';
import { keymap } from 'prosemirror-keymap';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';

declare const room: Room<AnyRoom>;
declare const place: HTMLElement;

// example: sharedDocument
const state = EditorState.create({ schema, plugins: sharedDocument(room.replica, 'body') });
const view = new EditorView(place, { state });

// example: documentOf
const title = documentOf(room.replica, 'body', schema).firstChild?.textContent;

// example: undo
const back = keymap({ 'Mod-z': undo });

// example: redo
const again = keymap({ 'Mod-y': redo });
