/**
 * Truncation check: a file beside the logs of this host's rooms with their known lengths. A store that loses the end of its
 * newest file to damage opens as if that had never been written; this file detects it.
 *
 * It is written after the fact and never waited for, so it may say less than there is and never more.
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

/** Fixed length, so that one write replaces the whole content. */
const BYTES = 256;

/** Opens the file, and follows the rooms. Throws when the log of a room is shorter than it has been. */
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

/**
 * Writes the lengths. A failing disk shows elsewhere, when something is stored; this file then says less than there is, as it
 * may.
 */
async function writeLengths(file: FileHandle, rooms: Readonly<Record<string, FollowedRoom>>): Promise<void> {
  const lengths = Object.fromEntries(Object.entries(rooms).map(([name, { seq }]) => [name, seq]));
  await file.write(JSON.stringify(lengths).padEnd(BYTES), 0).catch(() => undefined);
}

/** Parses the file; an unreadable one says nothing. */
function lengthsIn(text: string): Readonly<Record<string, number>> {
  try {
    return Lengths.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
