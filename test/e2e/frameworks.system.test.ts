/** The bindings to React, Svelte, Vue and Solid in Chromium: two pages of each, a value that is typed, undo, presence, hydration. */
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { compile } from 'svelte/compiler';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PageScript, type PageWorld, pageScript, pageWorld } from '../support/browsers/page-world.js';

const SVELTE = `
  <script>
    import { entries, others, undo, value } from '@weft/client/svelte';
    let { room, count } = $props();
    const title = value(room, 'title');
    const cards = entries(room, 'cards/');
    const there = others(room);
    const turns = undo(room, { keys: ['title'], mergeMs: Infinity });
    $effect(() => count($title));
  </script>
  <input id="title" bind:value={$title} />
  <p id="shown">{$title ?? ''}</p>
  <p id="cards">{Object.values($cards).join(' ')}</p>
  <p id="others">{$there.length}</p>
  <button id="undo" disabled={!$turns.canUndo} onclick={() => $turns.undo()}>undo</button>
`;

/** Cards in a loop of Svelte, each a component that reads its own value: what stands in a store is another thing to Svelte whenever the store tells. */
const SVELTE_BOARD = `
  <script>
    import { entries } from '@weft/client/svelte';
    import Card from 'card.svelte';
    let { room, drawn } = $props();
    const cards = entries(room, 'cards/');
  </script>
  {#each Object.keys($cards) as key (key)}<Card {room} {key} {drawn} />{/each}
`;
const SVELTE_CARD = `
  <script>
    import { value } from '@weft/client/svelte';
    let { room, key, drawn } = $props();
    const card = value(room, key);
  </script>
  <li>{drawn($card)}</li>
`;

/** One view in four frameworks: an input, what it holds, cards, how many are here, undo. `count` is called for each rendering. */
const PAGE = `
  import { openRoom } from '@weft/client';
  import * as forReact from '@weft/client/react';
  import * as forVue from '@weft/client/vue';
  import * as forSolid from '@weft/client/solid';
  import { StrictMode, Suspense, createElement, useEffect } from 'react';
  import { createRoot, hydrateRoot } from 'react-dom/client';
  import { mount } from 'svelte';
  import { createApp, h, onUpdated } from 'vue';
  import { For, createComponent, createEffect } from 'solid-js';
  import { render } from 'solid-js/web';
  import View from 'view.svelte';
  import Board from 'board.svelte';

  globalThis.shows = [];
  const count = (title) => void shows.push(title);
  const line = (id, text) => createElement('p', { id }, text);
  const options = { keys: ['title'], mergeMs: Infinity };
  const ReactView = () => {
    forReact.useReady();
    const edit = forReact.useEdit();
    const title = forReact.useValue('title');
    const cards = forReact.useEntries('cards/', (all) => Object.values(all));
    const others = forReact.useOthers();
    const turns = forReact.useUndo(options);
    useEffect(() => count(title));
    return createElement('div', null,
      createElement('input', { id: 'title', value: title ?? '', onChange: ({ target }) => edit((room) => room.set('title', target.value)) }),
      line('shown', title ?? ''), line('cards', cards.join(' ')), line('others', String(others.length)),
      createElement('button', { id: 'undo', disabled: !turns.canUndo, onClick: () => turns.undo() }, 'undo'));
  };
  const tree = (initial) => createElement(StrictMode, null,
    createElement(forReact.RoomProvider, { room, initial },
      createElement(Suspense, { fallback: createElement('p', { id: 'wait' }) }, createElement(ReactView))));
  const VueView = {
    setup() {
      const title = forVue.useValue(room, 'title');
      const cards = forVue.useEntries(room, 'cards/');
      const others = forVue.useOthers(room);
      const turns = forVue.useUndo(room, options);
      onUpdated(() => count(title.value));
      return () => h('div', [
        h('input', { id: 'title', value: title.value ?? '', onInput: ({ target }) => void (title.value = target.value) }),
        h('p', { id: 'shown' }, title.value ?? ''), h('p', { id: 'cards' }, Object.values(cards.value).join(' ')),
        h('p', { id: 'others' }, String(others.value.length)),
        h('button', { id: 'undo', disabled: !turns.value.canUndo, onClick: () => turns.value.undo() }, 'undo'),
      ]);
    },
  };
  const SolidView = () => {
    const box = document.createElement('div');
    box.innerHTML = '<input id=title><p id=shown></p><p id=cards></p><p id=others></p><button id=undo>undo</button>';
    const [input, shown, cardsShown, othersShown, button] = box.children;
    const [title, setTitle] = forSolid.createValue(room, 'title');
    const cards = forSolid.createEntries(room, 'cards/');
    const others = forSolid.createOthers(room);
    const turns = forSolid.createUndo(room, options);
    createEffect(() => { input.value = shown.textContent = title() ?? ''; count(title()); });
    createEffect(() => void (cardsShown.textContent = Object.values(cards()).join(' ')));
    createEffect(() => void (othersShown.textContent = String(others().length)));
    createEffect(() => void (button.disabled = !turns().canUndo));
    input.addEventListener('input', () => setTitle(input.value));
    button.addEventListener('click', () => turns().undo());
    return box;
  };
  const frameworks = {
    react: (target) => { const root = createRoot(target); root.render(tree()); return () => root.unmount(); },
    svelte: (target) => void mount(View, { target, props: { room, count } }),
    vue: (target) => { const app = createApp(VueView); app.mount(target); return () => app.unmount(); },
    solid: (target) => render(SolidView, target),
  };
  globalThis.drawnCards = [];
  const drawn = ({ name }) => { drawnCards.push(name); return name; };
  const VueCard = { props: ['card'], setup: (props) => () => h('li', drawn(props.card)) };
  const VueBoard = {
    setup() {
      const cards = forVue.useEntries(room, 'cards/');
      return () => Object.entries(cards.value).map(([key, card]) => h(VueCard, { key, card }));
    },
  };
  const SolidBoard = () => {
    const cards = forSolid.createEntries(room, 'cards/');
    const children = (card) => Object.assign(document.createElement('li'), { textContent: drawn(card) });
    return createComponent(For, { get each() { return Object.values(cards()); }, children });
  };
  const boards = {
    svelte: (target) => void mount(Board, { target, props: { room, drawn } }),
    vue: (target) => void createApp(VueBoard).mount(target),
    solid: (target) => void render(SolidBoard, target),
  };
  globalThis.board = async (url, framework) => {
    globalThis.room = openRoom('board', { url });
    await room.joined;
    boards[framework](root());
  };
  const root = () => document.body.appendChild(Object.assign(document.createElement('div'), { id: 'root' }));
  globalThis.enter = (url, framework) => {
    globalThis.room = openRoom('board', { url });
    globalThis.leave = frameworks[framework](root());
  };
  globalThis.hydrate = (url, html, initial) => {
    globalThis.room = openRoom('board', { url });
    const target = root();
    target.innerHTML = html;
    hydrateRoot(target, tree(initial), { onRecoverableError: (error) => console.error(error) });
  };
`;

let script: PageScript;
beforeAll(async () => {
  const sources = { 'view.svelte': SVELTE, 'board.svelte': SVELTE_BOARD, 'card.svelte': SVELTE_CARD };
  const compiled = Object.entries(sources).map(([filename, source]) => [
    filename,
    compile(source, { generate: 'client', filename }).js.code,
  ]);
  script = await pageScript(PAGE, Object.fromEntries(compiled) as Record<string, string>);
});

const shown = (page: Page, id: string): Promise<string | null> => page.textContent(`#${id}`);
const shows = (page: Page): Promise<number> => page.evaluate('shows.length');

async function world(): Promise<PageWorld> {
  const opened = await pageWorld(script);
  const room = await opened.host.room('board');
  for (const card of ['one', 'two']) await room.set(`cards/${card}`, card);
  return opened;
}

describe.each(['react', 'svelte', 'vue', 'solid'])('%s', (framework) => {
  it('shows what a room holds and who is there, writes it, and takes its own back', async () => {
    const { url, faults, page, host } = await world();
    const [one, two] = [await page(), await page()];
    for (const each of [one, two]) await each.evaluate(`enter('${url}', '${framework}')`);
    for (const each of [one, two]) {
      await expect.poll(() => shown(each, 'cards')).toBe('one two');
      await expect.poll(() => shown(each, 'others')).toBe('1');
    }
    await one.bringToFront();
    await one.locator('#title').pressSequentially('plan');
    await expect.poll(() => shown(two, 'shown')).toBe('plan');
    expect(await two.inputValue('#title')).toBe('plan');
    expect([await one.isDisabled('#undo'), await two.isDisabled('#undo')]).toEqual([false, true]);

    const before = await shows(two);
    const room = await host.room('board');
    await room.set('elsewhere', 1);
    await room.set('title', 'plan B');
    await expect.poll(() => shown(two, 'shown')).toBe('plan B');
    // What is elsewhere renders nothing. React's strict mode runs effects once.
    expect((await shows(two)) - before).toBe(1);

    await one.locator('#title').fill('mine');
    await expect.poll(() => shown(two, 'shown')).toBe('mine');
    await one.click('#undo');
    await expect.poll(() => shown(two, 'shown')).toBe('plan B');
    expect(faults).toEqual([]);
  });
});

it.each(['svelte', 'vue', 'solid'])(
  '%s draws of 1,000 components the one of which the card has changed',
  async (framework) => {
    const { url, faults, page, host } = await pageWorld(script);
    const room = await host.room('board');
    for (let i = 0; i < 1000; i++) await room.set(`cards/${i}`, { name: `card ${i}` });
    const one = await page();
    await one.evaluate(`board('${url}', '${framework}')`);
    await expect.poll(() => one.locator('li').count()).toBe(1000);
    expect(await one.evaluate('drawnCards.splice(0).length')).toBe(1000);
    await room.set('cards/7', { name: 'changed' });
    await expect.poll(() => one.getByText('changed').count()).toBe(1);
    expect(await one.evaluate('drawnCards')).toEqual(['changed']);
    expect(faults).toEqual([]);
  },
);

describe('React', () => {
  it('is rendered by a server from what it was given, and goes on in the page without a difference', async () => {
    const { host, url, faults, page } = await world();
    const room = await host.room('board');
    await room.set('title', 'from the server');
    const { RoomProvider, useEntries, useReady, useUndo, useValue } = await import('@weft/client/react');
    const line = (id: string, text: string) => createElement('p', { id }, text);
    const View = () => {
      useReady();
      const title = useValue<string>('title') ?? '';
      const cards = useEntries('cards/', (all) => Object.values(all));
      return createElement(
        'div',
        null,
        createElement('input', { id: 'title', value: title, onChange: () => undefined }),
        line('shown', title),
        line('cards', cards.join(' ')),
        line('others', '0'),
        createElement('button', { id: 'undo', disabled: !useUndo({ keys: ['title'] }).canUndo }, 'undo'),
      );
    };
    const initial = {
      values: { title: room.get('title'), 'cards/one': room.get('cards/one'), 'cards/two': room.get('cards/two') },
    };
    const html = renderToString(createElement(RoomProvider, { initial }, createElement(View)));
    expect(html).toContain('from the server');

    await room.set('title', 'newer');
    const one = await page();
    await one.evaluate(`hydrate('${url}', ${JSON.stringify(`<!--$-->${html}<!--/$-->`)}, ${JSON.stringify(initial)})`);
    await expect.poll(() => shown(one, 'shown')).toBe('newer');
    expect(await one.evaluate('shows[0]')).toBe('from the server');
    expect(faults).toEqual([]);
  });

  it('shows nothing under names that every object has, where a server was given nothing', async () => {
    const { RoomProvider, useDoc, useItems, useText, useValue } = await import('@weft/client/react');
    const View = () => {
      const read = useDoc((doc) => [doc.get('toString'), doc.items('toString').length, doc.textOf('toString')]);
      const shown = [useValue('constructor'), useItems('constructor').length, useText('constructor'), ...read];
      return createElement('p', null, JSON.stringify(shown).replaceAll('"', ''));
    };
    const initial = { values: {}, lists: {}, texts: {} };
    expect(renderToString(createElement(RoomProvider, { initial }, createElement(View)))).toBe(
      '<p>[null,0,,null,0,]</p>',
    );
  });

  it('says what is missing: a provider, or a room on a server', async () => {
    const { RoomProvider, useRoom } = await import('@weft/client/react');
    const View = () => createElement('p', null, useRoom().name);
    expect(() => renderToString(createElement(View))).toThrow('put a RoomProvider above');
    expect(() => renderToString(createElement(RoomProvider, {}, createElement(View)))).toThrow('edit it with useEdit');
  });
});
