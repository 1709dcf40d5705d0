/**
 * `<weft-inspector>`: what is in a room, who wrote it, who is here, what goes over the wire, and a switch to go offline. For developers;
 * without a framework, in a shadow tree of its own. What others have written is only ever shown as text.
 */
import type { NodeSeen, ReplicaSeen, WebSocketLike } from '@weft/core/client';
import { parseFrame } from '@weft/core/page';
import type { Room } from './room.js';
import type { AnyRoom } from './types.js';

/** What the inspector asks of a room, of any shape. */
type Inspected = Pick<
  Room<AnyRoom>,
  | 'name'
  | 'status'
  | 'isReady'
  | 'network'
  | 'replica'
  | 'client'
  | 'onStatus'
  | 'onSocket'
  | 'socket'
  | 'refused'
  | 'conflicts'
> & { readonly ready: Promise<void> };

/** Rows that one table shows, and frames that are kept. */
const MOST_ROWS = 500;
const MOST_TEXT = 2000;
const VIEWS = ['Keys', 'History', 'People', 'Network'] as const;
type View = (typeof VIEWS)[number];

interface Sent {
  readonly at: Date;
  readonly direction: 'sent' | 'received';
  readonly type: string;
  readonly bytes: number;
  readonly shown: string;
}

const STYLE = `
  :host { display: block; font: 13px/1.4 system-ui, sans-serif; color: #1c2024; background: #fff; border: 1px solid #c4c9d0; color-scheme: light; }
  header, nav, label { display: flex; gap: .75em; align-items: center; padding: .4em .6em; flex-wrap: wrap; }
  header { background: #f1f3f5; } label { padding: 0; gap: .3em; }
  [role=tab] { font: inherit; border: 0; border-bottom: 2px solid transparent; background: none; padding: .3em .2em; cursor: pointer; color: inherit; }
  [role=tab][aria-selected=true] { border-color: #2457c5; font-weight: 600; }
  :focus-visible { outline: 2px solid #2457c5; outline-offset: 1px; }
  section { overflow: auto; max-height: 24em; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .2em .6em; vertical-align: top; }
  th { position: sticky; top: 0; background: #fff; } tr + tr td { border-top: 1px solid #e6e8eb; }
  td { font-family: ui-monospace, monospace; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; max-width: 40em; }
  .lane { color: #2457c5; white-space: pre; } p { padding: .4em .6em; margin: 0; color: #545b64; }
  ul { margin: 0; padding: .2em .6em .2em 2em; } ul:empty { display: none; }
  @media (prefers-color-scheme: dark) {
    :host { color: #e6e8eb; background: #16181b; border-color: #3d434a; color-scheme: dark; } header { background: #202327; } th { background: #16181b; }
    tr + tr td { border-color: #2c3136; } [role=tab][aria-selected=true], :focus-visible { border-color: #8fb0ff; outline-color: #8fb0ff; } .lane { color: #8fb0ff; } p { color: #a8b0b9; }
  }
`;

/** Absent where there are no pages: the module loads everywhere. */
const Base = (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (class {} as typeof HTMLElement);

/** The element `<weft-inspector>`: what a room holds, who is there, what goes over its connection, and a switch that keeps the network away. */
export class WeftInspector extends Base {
  #room: Inspected | undefined;
  #view: View = 'Keys';
  #words = '';
  #frames: Sent[] = [];
  #ends: (() => void)[] = [];
  #isDrawing = false;
  /** Drawings that were asked for: one that is slow never shows over a later one. */
  #drawing = 0;
  #parts: Parts | undefined;
  /** Advice that was given on the console already. */
  readonly #warned = new Set<string>();

  get room(): Inspected | undefined {
    return this.#room;
  }

  /** Room that is looked at, of `openRoom`. */
  set room(room: Inspected | undefined) {
    this.#leave();
    this.#room = room;
    this.#frames = [];
    if (this.isConnected) this.#enter();
  }

  connectedCallback(): void {
    this.#parts ??= this.#build();
    this.#enter();
  }

  disconnectedCallback(): void {
    this.#leave();
  }

  #enter(): void {
    const room = this.#room;
    this.#draw();
    if (!room || this.#ends.length > 0) return;
    const ends = [room.onStatus(() => this.#draw())];
    this.#ends = ends;
    const before = room.onSocket; // another inspector's
    const listen = (socket: WebSocketLike): void => {
      before?.(socket);
      if (ends === this.#ends) ends.push(this.#listen(socket));
    };
    room.onSocket = listen;
    ends.push(() => void (room.onSocket === listen && (room.onSocket = before)));
    if (room.socket) ends.push(this.#listen(room.socket));
    room.ready.then(
      () => {
        if (ends !== this.#ends) return;
        ends.push(room.replica.observe({ prefix: '' }, () => this.#draw()));
        ends.push(
          room.client.onPeers(() => this.#draw()),
          room.client.onPresence(() => this.#draw()),
        );
        this.#draw();
      },
      () => this.#draw(), // the status says so
    );
  }

  #leave(): void {
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  #listen(socket: WebSocketLike): () => void {
    const send = socket.send.bind(socket);
    let isOver = false;
    socket.send = (data) => {
      if (!isOver) this.#note('sent', data);
      send(data);
    };
    socket.addEventListener('message', ({ data }) => void (isOver || this.#note('received', data)));
    return () => void (isOver = true);
  }

  #note(direction: Sent['direction'], data: unknown): void {
    const encoded = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
    if (typeof encoded !== 'string' && !(encoded instanceof Uint8Array)) return;
    let type = '(not a frame)';
    let shown = '';
    try {
      const frame = parseFrame(encoded);
      type = frame?.type ?? type;
      shown = frame ? textOf(frame) : '';
    } catch {
      shown = 'it cannot be read'; // what it is, is the room's to judge
    }
    this.#frames.unshift({ at: new Date(), direction, type, bytes: encoded.length, shown });
    this.#frames.length = Math.min(this.#frames.length, MOST_ROWS);
    if (this.#view === 'Network') this.#draw();
  }

  #build(): Parts {
    const root = this.attachShadow({ mode: 'open' });
    const style = Object.assign(document.createElement('style'), { textContent: STYLE });
    const title = document.createElement('strong');
    const status = document.createElement('span');
    status.setAttribute('role', 'status');
    const offline = Object.assign(document.createElement('input'), { type: 'checkbox' });
    offline.addEventListener('change', () => {
      if (this.#room) this.#room.network.isOff = offline.checked;
      this.#draw();
    });
    const filter = Object.assign(document.createElement('input'), { type: 'search', placeholder: 'Filter' });
    filter.setAttribute('aria-label', 'Filter rows');
    filter.addEventListener('input', () => {
      this.#words = filter.value.toLowerCase();
      this.#draw();
    });
    const label = element('label', [offline, 'Offline']);
    const nav = element('nav', []);
    nav.setAttribute('role', 'tablist');
    nav.setAttribute('aria-label', 'Views of the room');
    const advice = element('ul', []);
    advice.setAttribute('aria-label', 'Advice');
    const panel = Object.assign(document.createElement('section'), { id: 'panel', tabIndex: 0 });
    panel.setAttribute('role', 'tabpanel');
    const tabs = VIEWS.map((view) => this.#tab(view, nav));
    nav.append(...tabs);
    root.append(style, element('header', [title, status, label, filter]), advice, nav, panel);
    return { title, status, offline, advice, tabs, panel };
  }

  #tab(view: View, nav: HTMLElement): HTMLButtonElement {
    const tab = Object.assign(document.createElement('button'), { type: 'button', textContent: view, id: view });
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'panel');
    tab.addEventListener('click', () => {
      this.#view = view;
      this.#draw();
    });
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = VIEWS.indexOf(view) + step + VIEWS.length;
      const other = nav.children[next % VIEWS.length] as HTMLButtonElement;
      other.click();
      other.focus();
    });
    return tab;
  }

  /** Soon, and once for all that changes until then. */
  #draw(): void {
    if (this.#isDrawing || !this.isConnected) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      void this.#show(++this.#drawing);
    });
  }

  async #show(drawing: number): Promise<void> {
    const room = this.#room;
    const parts = this.#parts;
    if (!parts) return;
    const { title, status, offline, advice, tabs, panel } = parts;
    for (const tab of tabs) {
      const isShown = tab.id === this.#view;
      tab.setAttribute('aria-selected', String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', this.#view);
    title.textContent = room?.name ?? 'no room: set inspector.room';
    offline.disabled = !room;
    offline.checked = room?.network.isOff ?? false;
    const { connection, unsent, storage, refused } = room?.status ?? {};
    status.textContent = room
      ? `${connection} · ${unsent} unsent · ${storage === 'kept' ? 'kept on this device' : 'in memory'} · ${refused} refused`
      : '';
    const given = room ? adviceOf(room) : [];
    advice.replaceChildren(...given.map((text) => element('li', [text])));
    for (const text of given) if (!this.#warned.has(text)) console.warn(`weft: ${text}`);
    for (const text of given) this.#warned.add(text);
    if (!room?.isReady && this.#view !== 'Network') return panel.replaceChildren();
    const seen = room && this.#view !== 'Network' ? await room.replica.look(MOST_ROWS) : undefined;
    if (drawing !== this.#drawing) return;
    const { head, rows, note = '' } = this.#table(room, seen);
    const kept = rows.filter((row) => this.#words === '' || row.join(' ').toLowerCase().includes(this.#words));
    panel.replaceChildren(tableOf(head, kept), element('p', [kept.length === 0 ? 'Nothing here.' : note]));
  }

  #table(room: Inspected | undefined, seen: ReplicaSeen | undefined): Table {
    if (this.#view === 'Network') {
      const rows = this.#frames.map(({ at, direction, type, bytes, shown }) => [
        at.toLocaleTimeString(),
        direction === 'sent' ? '→ sent' : '← received',
        type,
        String(bytes),
        shown,
      ]);
      return {
        head: ['When', 'Way', 'Frame', 'Bytes', 'Content'],
        rows,
        note: 'The newest frames; tokens are left out.',
      };
    }
    if (!room || !seen) return { head: [], rows: [] };
    if (this.#view === 'People') return { head: ['Peer', 'Key', 'Kind', 'Shows'], rows: peopleOf(room) };
    if (this.#view === 'History') {
      const note = `${seen.nodeCount} nodes; the newest ${seen.nodes.length} are shown.`;
      return { head: ['Author', 'Node', 'When', 'By', 'Changes', 'Stands on'], rows: historyOf(seen.nodes), note };
    }
    return { head: ['Key', 'Kind', 'Value', 'Written by', 'When', 'State'], rows: keysOf(room, seen) };
  }
}

interface Parts {
  readonly title: HTMLElement;
  readonly status: HTMLElement;
  readonly offline: HTMLInputElement;
  readonly advice: HTMLElement;
  readonly tabs: readonly HTMLButtonElement[];
  readonly panel: HTMLElement;
}

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly note?: string;
}

/** What is not as an application would want it, and what to do. */
function adviceOf(room: Inspected): string[] {
  const { connection, storage, refused } = room.status;
  const advice: string[] = [];
  if (connection === 'ended' && room.isReady) {
    const { lastError } = room.client;
    advice.push(
      `the room has ended (${cut(lastError?.message ?? '')}): ${REMEDIES[reasonOf(lastError)] ?? 'open it again'}`,
    );
  }
  if (storage === 'memory')
    advice.push('what is written without a network is lost with this page: give openRoom storage: indexedDb()');
  if (refused > 0) {
    const reasons = [...new Set(room.refused.map(({ reason }) => reason))].join(', ');
    advice.push(`edits were refused (${reasons}): show room.refused, and let people retry or discard them`);
  }
  return advice;
}

const REMEDIES: Readonly<Record<string, string>> = {
  auth: 'give openRoom a token that this server takes, or a function that fetches one',
  disconnected: 'where its token has expired, give openRoom a function that fetches a new one',
  'bad-address': 'its url begins with ws:// or wss://, and has no path of a room',
};

const reasonOf = (error: unknown): string => String((error as { reason?: unknown } | undefined)?.reason ?? '');

function keysOf(room: Inspected, { keys }: ReplicaSeen): string[][] {
  const { replica } = room;
  return keys.map(({ key, kind, length }) => {
    const origin = kind === 'value' ? replica.why(key) : replica.why(key, { in: kind, at: (length ?? 1) - 1 });
    const value =
      kind === 'value'
        ? textOf(replica.get(key))
        : kind === 'text'
          ? cut(replica.text(key).toString())
          : textOf(replica.list(key).toArray());
    const state = [
      ...(replica.isUnsent(key) ? ['unsent'] : ['on the server']),
      ...(kind === 'value' && room.conflicts(key).length > 0 ? ['concurrent values'] : []),
    ];
    return [key, kind, value, short(origin?.author), whenOf(origin?.wallMs), state.join(', ')];
  });
}

/** One column for each author, as they first appear. */
function historyOf(nodes: readonly NodeSeen[]): string[][] {
  const lanes = [...new Set(nodes.map(({ author }) => author))];
  return nodes.map(({ id, author, wallMs, keys, standsOn }) => {
    const lane = lanes.map((each) => (each === author ? '●' : '│')).slice(0, 12);
    return [lane.join(' '), short(id), whenOf(wallMs), short(author), keys.join(', '), standsOn.map(short).join(', ')];
  });
}

function peopleOf({ client }: Inspected): string[][] {
  return client.peers.map(({ peerId, publicKey, peerType, proven }) => [
    peerId,
    `${short(publicKey)}${proven ? ' (proven)' : ''}`,
    peerType,
    textOf(client.presence.get(peerId)),
  ]);
}

const short = (id: string | undefined): string => id?.slice(0, 10) ?? '';
const cut = (text: string): string =>
  text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} … (${text.length})` : text;
const whenOf = (ms: number | undefined): string => (ms === undefined ? '' : new Date(ms).toLocaleString());

/** Fields that nobody should see over a shoulder, or paste into a report. */
const SECRET: ReadonlySet<string> = new Set(['token', 'proof']);

function textOf(value: unknown): string {
  if (value === undefined) return '';
  const plain = (name: string, field: unknown): unknown => {
    if (SECRET.has(name)) return '…';
    if (field instanceof Uint8Array) return `${field.length} bytes`;
    return typeof field === 'bigint' ? String(field) : field;
  };
  return cut(JSON.stringify(value, plain) ?? String(value));
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  const table = document.createElement('table');
  const line = table.createTHead().insertRow();
  for (const name of head)
    line.append(Object.assign(document.createElement('th'), { textContent: name, scope: 'col' }));
  const body = table.createTBody();
  for (const row of rows) {
    const shown = body.insertRow();
    for (const [column, text] of row.entries()) {
      const cell = shown.insertCell();
      cell.textContent = text;
      if (head[column] === 'Author') cell.className = 'lane';
    }
  }
  return table;
}

function element(name: string, children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** Defines the element, once, and puts one that looks at this room at the end of the page. */
export function inspect(room: Inspected): WeftInspector {
  defineInspector();
  const inspector = document.createElement('weft-inspector') as WeftInspector;
  inspector.room = room;
  document.body.append(inspector);
  return inspector;
}

/** Defines `<weft-inspector>` for pages that place it themselves, and set its `room`. */
export function defineInspector(): void {
  if (!customElements.get('weft-inspector')) customElements.define('weft-inspector', WeftInspector);
}
