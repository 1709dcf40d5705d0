/** People of a world: those who write, each with a replica that it keeps, and those who ask. */
import { CAPABILITIES, type KeyPair, type Network, type RoomClient } from '@weft/core';

/** Somebody with a key, and what it may do. */
export interface Persona {
  readonly name: string;
  readonly room: string;
  readonly caps: readonly string[] | undefined;
  /** Whether it may know what is secret. */
  readonly isInsider: boolean;
  /** Whether a program of theirs reads along. */
  readonly readsAlong?: boolean;
  /** Whether its copy gives up what the room gives up; it sees all of its room. */
  readonly followsPruning?: boolean;
}

/** Those who write, each with a replica that it keeps. */
export const WRITERS: readonly Persona[] = [
  { name: 'ada', room: 'open', caps: ['query.read'], isInsider: true, readsAlong: true },
  { name: 'bob', room: 'open', caps: [], isInsider: true, followsPruning: true },
  { name: 'cyd', room: 'open', caps: undefined, isInsider: false },
  { name: 'dan', room: 'locked', caps: ['query.read'], isInsider: true, readsAlong: true },
  { name: 'eve', room: 'locked', caps: [], isInsider: true, followsPruning: true },
  { name: 'gus', room: 'child-1', caps: ['query.read'], isInsider: true, readsAlong: true },
  { name: 'fay', room: 'locked', caps: ['read:docs/**', 'write:docs/**'], isInsider: false },
];

/** Those who ask, in any room. */
export const ASKERS: readonly Persona[] = [
  { name: 'root', room: 'open', caps: CAPABILITIES, isInsider: true },
  { name: 'root', room: 'locked', caps: CAPABILITIES, isInsider: true },
  { name: 'root', room: 'locked', caps: CAPABILITIES, isInsider: true },
  { name: 'root', room: 'open', caps: CAPABILITIES, isInsider: true },
  { name: 'root', room: 'child-1', caps: CAPABILITIES, isInsider: true },
  { name: 'root', room: 'child-1', caps: CAPABILITIES, isInsider: true },
  {
    name: 'guest',
    room: 'locked',
    caps: ['read:docs/**', 'write:docs/own/**', 'query.read', 'query.admin'],
    isInsider: false,
  },
  { name: 'nobody', room: 'open', caps: undefined, isInsider: false },
  { name: 'nobody', room: 'locked', caps: undefined, isInsider: false },
  { name: 'nobody', room: 'child-1', caps: undefined, isInsider: false },
];

export interface Writer {
  readonly persona: Persona;
  readonly keys: KeyPair;
  client: RoomClient;
  readonly uplink: Uplink;
  /** What it has pushed and nobody has answered yet. */
  waiting: number;
}

/** Network of one peer, as its device says. */
export class Uplink implements Network {
  isOnline = true;
  readonly #comers = new Set<() => void>();
  readonly #leavers = new Set<() => void>();

  onOnline(listener: () => void): () => void {
    this.#comers.add(listener);
    return () => void this.#comers.delete(listener);
  }

  onOffline(listener: () => void): () => void {
    this.#leavers.add(listener);
    return () => void this.#leavers.delete(listener);
  }

  switch(isOnline: boolean): void {
    this.isOnline = isOnline;
    for (const listener of isOnline ? this.#comers : this.#leavers) listener();
  }
}
