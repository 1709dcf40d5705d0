import type { AnyRoom, Room } from '@weft/client';
import { bindMonaco, presenceCursors } from '@weft/client/monaco';
import * as monaco from 'monaco-editor';

declare const room: Room<AnyRoom>;
declare const place: HTMLElement;

// example: bindMonaco
const editor = monaco.editor.create(place, { language: 'markdown' });
const unbind = bindMonaco(room.replica, 'body', editor, { cursors: presenceCursors(room, 'body', { name: 'Ann' }) });
editor.onDidDispose(unbind);
