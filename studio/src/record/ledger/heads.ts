/**
 * How long the logs of this host's rooms are known to be, in a file beside them. A store that loses the end of its newest file
 * to damage opens as if that had never been written; who knows how long the log was can tell.
 *
 * What the file says is written after it is true and never waited for, so it may say less than there is and never more.
 */
import { type FileHandle, constants, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Room } from '@weft/core';
import { z } from 'zod';

type FollowedRoom = Pick<Room, 'seq' | 'onCommit'>;

export interface Heads {
  close(): Promise<void>;
}

const Lengths = z.record(z.string(), z.number().int());

/** Always as many bytes, so that one write replaces all that was there. */
const BYTES = 256;

/** Throws when the log of a room is shorter than it has been. */
export async function followHeads(path: string, rooms: Readonly<Record<string, FollowedRoom>>): Promise<Heads> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const before = lengthsIn(await file.readFile('utf8'));
    for (const [name, { seq }] of Object.entries(rooms)) requireLength(path, name, seq, before[name] ?? 0);
  } catch (error) {
    await file.close();
    throw error;
  }
  let writing: Promise<void> | undefined;
  let isBehind = false;
  const write = async (): Promise<void> => {
    while (isBehind) {
      isBehind = false;
      await writeLengths(file, rooms);
    }
    writing = undefined;
  };
  const note = (): void => {
    isBehind = true;
    writing ??= write();
  };
  note();
  const unsubscribe = Object.values(rooms).map((room) => room.onCommit(note));
  return {
    async close() {
      for (const stop of unsubscribe.splice(0)) stop();
      await writing;
      await file.close();
    },
  };
}

function requireLength(path: string, name: string, length: number, known: number): void {
  if (length >= known) return;
  throw new Error(
    `the log of room ${name} ends after ${length} nodes and had ${known}: the end of the store's newest file is damaged. ` +
      `Restore a backup; to go on without what is lost, delete ${path}`,
  );
}

/** A disk that fails says so where something is stored; this file then says less than there is, as it may. */
async function writeLengths(file: FileHandle, rooms: Readonly<Record<string, FollowedRoom>>): Promise<void> {
  const lengths = Object.fromEntries(Object.entries(rooms).map(([name, { seq }]) => [name, seq]));
  await file.write(JSON.stringify(lengths).padEnd(BYTES), 0).catch(() => undefined);
}

/** Nothing is known from a file that cannot be read. */
function lengthsIn(text: string): Readonly<Record<string, number>> {
  try {
    return Lengths.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
