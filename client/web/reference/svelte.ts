import type { AnyRoom, Room } from '@weft/client';
import { conflicts, entries, items, others, refused, status, text, undo, value } from '@weft/client/svelte';

declare const room: Room<AnyRoom>;

// example: value
const title = value(room, 'title'); // <input bind:value={$title}>
title.set('Road map');

// example: entries
const cards = entries(room, 'cards/'); // {#each Object.entries($cards) as [name, card]}

// example: items
const tasks = items(room, 'tasks'); // {#each $tasks as task}

// example: text
const body = text(room, 'body'); // <pre>{$body}</pre>

// example: others
const here = others(room); // {#each $here as { peer, shown }}

// example: status
const standing = status(room); // {$standing.unsent}

// example: undo
const ownUndo = undo(room, { keys: ['title'] }); // <button disabled={!$ownUndo.canUndo} on:click={$ownUndo.undo}>

// example: conflicts
const titles = conflicts(room, 'title'); // {#if $titles.length > 1}

// example: refused
const sentBack = refused(room); // {#each $sentBack.held as one}
