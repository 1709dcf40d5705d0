/** What one program may reach through the proxy, what it has open and has used, and what it was refused. */
import type { Socket } from 'node:net';
import type { Allowed } from './allowed.js';

/** What a program was refused: what it asked for, and why not. */
export interface Refused {
  readonly target: string;
  readonly why: string;
}

export interface DoorWanted {
  readonly allowed: readonly Allowed[];
  /** Hears each refusal once. */
  readonly onRefused: (refused: Refused) => void;
}

/** Refusals of one program that are told; a loop over names is no book. */
const MOST_TOLD = 20;

/** Way of one program: what it may reach, and what it has used. */
export class Way {
  readonly allowed: readonly Allowed[];
  /** Connections of the program, and those to servers. */
  readonly near = new Set<Socket>();
  readonly far = new Set<Socket>();
  sent = 0;
  received = 0;
  readonly #told = new Set<string>();
  readonly #onRefused: DoorWanted['onRefused'];

  constructor({ allowed, onRefused }: DoorWanted) {
    this.allowed = allowed;
    this.#onRefused = onRefused;
  }

  refuse(target: string, why: string): void {
    if (this.#told.has(target) || this.#told.size >= MOST_TOLD) return;
    this.#told.add(target);
    this.#onRefused({ target, why });
  }

  end(): void {
    for (const socket of [...this.near, ...this.far]) socket.destroy();
  }
}
