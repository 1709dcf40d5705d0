/**
 * Somebody sits at the screen, from the first line to the last: events of the studio have it read anew, keys change the view, and
 * deeds are called one after the other. Whatever fails is a line at the foot of the screen; only a token that is not taken ends it.
 */
import { followEvents } from '@weft/studio-client';
import { plain } from '../output/columns.js';
import { named } from '../people/work.js';
import { StudioClient } from '../studio/studio-client.js';
import type { GivenConnection } from '../studio/studio-connection.js';
import type { Device, Terminal } from '../syntax/define.js';
import { drawn } from './draw.js';
import type { Key } from './keys.js';
import { Transcript, readBoard } from './reading.js';
import { Screen } from './screen.js';
import { openShell } from './shell.js';
import { type Deed, EMPTY, type View, press, withBoard } from './view.js';

export interface SittingParts {
  readonly given: GivenConnection;
  readonly device: Device;
  readonly terminal: Terminal;
  /** Whether the terminal's bell stays silent. */
  readonly isSilent: boolean;
}

/** Time between two readings: a studio at work tells of many events in one second. */
const REST_MS = 250;
/** Ages on the screen go on when nothing happens. */
const AGES_MS = 5000;

export class Sitting {
  readonly #terminal: Terminal;
  readonly #isSilent: boolean;
  readonly #client: StudioClient;
  readonly #screen: Screen;
  readonly #over = new AbortController();
  #view: View = EMPTY;
  #transcript: Transcript | undefined;
  #isDue = false;
  #isReading = false;
  /** Those who wait for a reading that begins from now on. */
  #toBeTold: (() => void)[] = [];
  #origin = '';
  /** Deeds in their order: the next begins when the one before has been answered. */
  #deeds: Promise<void> = Promise.resolve();

  constructor({ given, device, terminal, isSilent }: SittingParts) {
    this.#terminal = terminal;
    this.#isSilent = isSilent;
    // What a client says while it waits for the studio has no place between the lines of the screen.
    const err = (text: string): void => (this.#screen.isTaken ? this.#note(text) : terminal.err(text));
    this.#client = new StudioClient(given, { ...terminal, err });
    this.#screen = new Screen(device, {
      pressed: (keys) => keys.forEach((key) => this.#press(key)),
      resized: () => this.#draw(),
    });
  }

  /** Sits until the user leaves or is sent away; at first before the unit that is wanted, by the beginning of its id. */
  async run(wanted: string | undefined): Promise<void> {
    // What keeps anybody from sitting down is told on an ordinary screen.
    const { asOf, ...board } = await readBoard(this.#client);
    const unit = wanted === undefined ? undefined : named(board.units, ({ workUnitId }) => workUnitId, wanted, 'unit');
    this.#view = withBoard(this.#view, board);
    this.#origin = await this.#client.origin();
    const events = await this.#client.connection('read');
    const signal = AbortSignal.any([this.#terminal.stop, this.#over.signal]);
    const ages = setInterval(() => this.#draw(), AGES_MS).unref();
    this.#screen.take();
    try {
      if (unit) this.#attach(unit.workUnitId);
      this.#draw();
      await followEvents(events, {
        after: asOf,
        signal,
        take: () => this.#wake(),
        lost: () => this.#wake(),
        connected: (isLive) => {
          this.#change({ ...this.#view, isLive });
          if (isLive) this.#wake();
        },
      });
    } finally {
      clearInterval(ages);
      this.#over.abort();
      this.#screen.giveBack();
    }
  }

  #change(view: View): void {
    this.#view = view;
    this.#draw();
  }

  #draw(): void {
    if (!this.#screen.isTaken) return;
    const studio = new URL(this.#origin).host;
    const { paint } = this.#terminal;
    this.#screen.draw(drawn(this.#view, { ...this.#screen.size, now: Date.now(), studio, paint }));
  }

  #note(text: string): void {
    this.#change({ ...this.#view, note: plain(text) });
  }

  #press(key: Key): void {
    if (this.#over.signal.aborted) return;
    const { view, deed } = press(this.#view, key);
    this.#change(view);
    if (!view.attached) this.#transcript = undefined;
    if (deed) this.#do(deed);
  }

  #do(deed: Deed): void {
    switch (deed.kind) {
      case 'quit':
        return this.#over.abort();
      case 'redraw':
        this.#screen.forget();
        return this.#draw();
      case 'read':
        return this.#attach(deed.workUnitId);
      case 'shell':
        return this.#after(() => this.#shell(deed.workUnitId));
      case 'call':
        return this.#after(async () => {
          this.#note('…');
          await this.#client.call(deed.operation, deed.input);
          // What is done must not be there to be done again when that is said.
          await this.#fresh();
          this.#note(deed.done);
        });
    }
  }

  #after(deed: () => Promise<void>): void {
    this.#deeds = this.#deeds.then(deed).catch((error: unknown) => this.#note(messageOf(error)));
  }

  #attach(workUnitId: string): void {
    this.#transcript = new Transcript(this.#client, workUnitId);
    this.#change({ ...this.#view, attached: { workUnitId, entries: undefined, back: 0 } });
    this.#wake();
  }

  async #shell(workUnitId: string): Promise<void> {
    const unit = this.#view.board.units.find((one) => one.workUnitId === workUnitId);
    if (!unit) return this.#note('it is gone');
    this.#note(
      await openShell({
        client: this.#client,
        terminal: this.#terminal,
        origin: this.#origin,
        screen: this.#screen,
        unit,
      }),
    );
  }

  /** Resolves when the screen shows what the studio says from now on, or cannot. */
  #fresh(): Promise<void> {
    return new Promise((resolve) => {
      this.#toBeTold.push(resolve);
      this.#wake();
    });
  }

  /** Has the studio read, and once more when something happens during that. */
  #wake(): void {
    this.#isDue = true;
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#isDue && !this.#over.signal.aborted) {
      this.#isDue = false;
      const told = this.#toBeTold.splice(0);
      try {
        await this.#readOnce();
      } catch (error) {
        this.#note(messageOf(error));
      }
      for (const tell of told) tell();
      await new Promise((resolve) => setTimeout(resolve, REST_MS).unref());
    }
    this.#isReading = false;
  }

  async #readOnce(): Promise<void> {
    const transcript = this.#transcript;
    const [board, entries] = await Promise.all([readBoard(this.#client), transcript?.read()]);
    const known = new Set(this.#view.board.waiting.map(({ kind, id }) => `${kind} ${id}`));
    if (!this.#isSilent && board.waiting.some(({ kind, id }) => !known.has(`${kind} ${id}`))) this.#screen.ring();
    const view = withBoard(this.#view, board);
    const { attached } = view;
    // Somebody may have left the transcript meanwhile, or have gone to another.
    const isShown = attached && entries && attached.workUnitId === transcript?.workUnitId;
    this.#change(isShown ? { ...view, attached: { ...attached, entries } } : view);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
