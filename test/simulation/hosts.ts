/**
 * Hosts of a world: processes on one disk, one after the other, or several side by side that have divided its rooms among them.
 */
import {
  type Crypto,
  type ErasedBelow,
  type Erasure,
  type Host,
  Rejection,
  type RoomId,
  StoreError,
  createHost,
} from '@weft/core';
import { memoryArchives } from '@weft/core/memory';
import type { Random } from '../convergence/random.js';
import type { Authorities } from './authorities.js';
import type { Disk, Life } from './disk.js';
import type { Law } from './model.js';
import type { Timeline } from './timeline.js';

interface Process {
  readonly life: Life;
  readonly host: Host;
  isStopping: boolean;
  /** Fails when the process dies, as what another one has asked of it does. */
  readonly lost: Promise<never>;
  readonly lose: (error: Error) => void;
}

/** What hosts of one world are like. */
export interface Mode {
  readonly hosts: 1 | 2;
  /** Whether every value that is overwritten leaves memory as soon as it may. */
  readonly letsGo: boolean;
  /** Whether roots certify the keys of processes. */
  readonly isCertified: boolean;
}

export interface HostsParts {
  readonly mode: Mode;
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly crypto: Crypto;
  readonly authorities: Authorities;
  readonly adminKey: string;
  readonly note: (line: string) => void;
  readonly wrong: (law: Law, why: string) => void;
  /** Told of the rooms of a process that has died. */
  readonly died: (had: (room: string) => boolean) => void;
}

/** A process that has died is there again after so long. */
const AWAY_MS = 3000;
const LOOK_MS = 2000;

export class Hosts {
  readonly #parts: HostsParts;
  readonly #archives = memoryArchives();
  readonly #processes: (Process | undefined)[];
  #lives = 0;

  constructor(parts: HostsParts) {
    this.#parts = parts;
    this.#processes = Array.from({ length: parts.mode.hosts });
  }

  /** The host that has a room; undefined while it is not up. */
  of(room: string): Host | undefined {
    return this.#processes[this.#placeOf(room)]?.host;
  }

  /** One of those that are up, mostly that of the room. */
  near(room: string, random: Random): Host | undefined {
    if (this.#processes.length === 1 || random.chance(85)) return this.of(room);
    return this.#processes[random.below(this.#processes.length)]?.host;
  }

  get up(): readonly Host[] {
    return this.#processes.flatMap((process) => process?.host ?? []);
  }

  isUp(host: Host): boolean {
    return this.#processes.some((process) => process?.host === host);
  }

  get isAnyStopping(): boolean {
    return this.#processes.some((process) => process?.isStopping);
  }

  startAll(): void {
    for (let at = 0; at < this.#processes.length; at++) if (!this.#processes[at]) this.#start(at);
  }

  /** Those who do not know what roots have said by now are followed by others who do. */
  renew(): void {
    for (let at = 0; at < this.#processes.length; at++) {
      if (!this.#parts.authorities.isBehind(at)) continue;
      this.#kill(at);
      this.#start(at);
    }
  }

  /** Roots say something, and a process starts anew that knows of it. */
  async hear(random: Random): Promise<void> {
    const { authorities, note } = this.#parts;
    const at = random.below(this.#processes.length);
    const isSuccession = random.chance(50);
    if (!(await (isSuccession ? authorities.succeed() : authorities.revoke(at)))) return;
    note(isSuccession ? 'other roots follow' : `the key of process ${at} is revoked`);
    if (random.chance(50)) this.#kill(at);
    else this.restart(random);
  }

  killAll(): void {
    for (let at = 0; at < this.#processes.length; at++) this.#kill(at);
  }

  /** One of them stops or dies, and another one takes its place. */
  restart(random: Random): void {
    const at = this.#processes.length === 1 ? 0 : random.below(this.#processes.length);
    const process = this.#processes[at];
    if (!process) return this.#start(at);
    if (random.chance(40)) return this.#stop(at, process);
    this.#kill(at);
    this.#parts.timeline.after(random.below(AWAY_MS), () => {
      if (!this.#processes[at]) this.#start(at);
    });
  }

  /** Stop by an operator; a new one starts when it is over. */
  #stop(at: number, process: Process): void {
    if (process.isStopping) return;
    process.isStopping = true;
    this.#parts.note(`${process.life.name} stops`);
    const stop = async (): Promise<void> => {
      await process.host.drain();
      await process.host.close();
      if (this.#processes[at] !== process) return;
      this.#kill(at);
      this.#start(at);
    };
    stop().catch((error: unknown) => {
      if (!isOfDisk(error)) this.#parts.wrong('no-bugs', told(error));
    });
  }

  #placeOf(room: string): number {
    return [...room].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % this.#processes.length;
  }

  #start(at: number): void {
    const { timeline, disk, crypto, authorities, adminKey, mode, note } = this.#parts;
    const life = { name: `host ${++this.#lives}`, isOver: false };
    const clock = {
      now: () => timeline.now(),
      after: (ms: number, act: () => void) =>
        timeline.after(ms, () => {
          if (!life.isOver) act();
        }),
    };
    const host = createHost({
      store: disk.seenBy(life),
      clock,
      crypto,
      adminKey,
      authority: authorities.startedAt(at),
      archives: { stores: { file: this.#archives } },
      onFault: (error) => {
        const isFlip = disk.flips > 0 && told(error).includes('the store has no image');
        const isDeposed = authorities.isBehind(at) && isOfRoots(error);
        if (!isOfDisk(error) && !isFlip && !isDeposed && !life.isOver) this.#parts.wrong('no-bugs', told(error));
      },
      ...(mode.letsGo ? { leastDormant: 0 } : {}),
      ...(mode.hosts > 1 ? { others: this.#othersOf(at) } : {}),
    });
    let lose: (error: Error) => void = () => undefined;
    const lost = new Promise<never>((_none, reject) => (lose = reject));
    lost.catch(() => undefined); // nobody may be waiting
    this.#processes[at] = { life, host, isStopping: false, lost, lose };
    if (mode.hosts > 1) this.#looksAgain(life, host);
    note(`${life.name} starts`);
  }

  /** What another process has written and nobody has told of, since that has died: as those of a cluster do. */
  #looksAgain(life: Life, host: Host): void {
    this.#parts.timeline.after(LOOK_MS, () => {
      if (life.isOver) return;
      for (const room of host.known.keys()) this.#look(room, host);
      this.#looksAgain(life, host);
    });
  }

  #look(room: RoomId, host: Host): void {
    host.look(room).catch((error: unknown) => {
      const isOurs = isOfDisk(error) || !this.isUp(host);
      if (!isOurs && !isRefusal(error)) this.#parts.wrong('no-bugs', `it looks at ${room}: ${told(error)}`);
    });
  }

  /** What a process has to know of the others. */
  #othersOf(at: number) {
    return {
      serve: (room: RoomId) => this.#placeOf(room) !== at,
      wrote: (room: RoomId) => {
        const host = this.of(room);
        if (host) this.#look(room, host);
      },
      counted: (name: string, by: 1 | -1) => {
        for (const [place, other] of this.#processes.entries()) if (place !== at) other?.host.heed(name, by);
      },
      eraseBelow: async (child: RoomId, erasure: Erasure): Promise<ErasedBelow> => {
        const other = this.#processes[this.#placeOf(child)];
        if (!other) return { children: [], left: [child] };
        return Promise.race([other.host.eraseBelow(child, erasure), other.lost]);
      },
    };
  }

  #kill(at: number): void {
    const process = this.#processes[at];
    if (!process) return;
    const { life } = process;
    life.isOver = true;
    this.#processes[at] = undefined;
    this.#parts.note(`${life.name} dies`);
    this.#parts.disk.buried(life);
    process.lose(new Error('the other process is gone'));
    this.#parts.died((room) => this.#placeOf(room) === at);
  }
}

/** Roots have said that a key has no say any more. */
function isOfRoots(error: unknown): boolean {
  return error instanceof Rejection && ['authority-superseded', 'authority-revoked'].includes(error.reason);
}

export function isRefusal(error: unknown): boolean {
  return (error instanceof Error && error.name === 'Rejection') || /host is closed|quarantined/.test(String(error));
}

export function isOfDisk(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof StoreError) return true;
  return false;
}

export function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' ') : String(error);
}
