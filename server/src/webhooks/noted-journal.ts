/**
 * Journal as notes of a store that several processes may share: whoever tells writes it, and the next one goes on from there. The
 * store refuses it to a process that has lost its lease.
 */
import { type Notes, type RoomId } from '@weft/core';
import { Journal, type Line } from './journal.js';
import type { AddedWebhook } from './webhook-desk.js';

const [WEBHOOK, TOLD] = ['webhook/', 'webhook-told/'];

export class NotedJournal extends Journal {
  readonly #notes: Notes;

  private constructor(notes: Notes) {
    super();
    this.#notes = notes;
  }

  static async open(notes: Notes): Promise<NotedJournal> {
    const journal = new NotedJournal(notes);
    for await (const [, text] of notes.all(WEBHOOK)) journal.apply({ add: JSON.parse(text) as AddedWebhook });
    const strangers = new Set<string>();
    for await (const [name, text] of notes.all(TOLD)) {
      const [webhook = '', room = ''] = splitOnce(name.slice(TOLD.length));
      const [seq, node] = text.split(' ');
      const told = [webhook, room as RoomId, Number(seq)] as const;
      if (journal.webhooks.has(webhook)) journal.apply({ told: node === undefined ? told : [...told, node] });
      else strangers.add(webhook);
    }
    // Strangers are notes of webhooks that were removed by somebody who died before he was done.
    for (const webhook of strangers) await notes.removeAll(`${TOLD}${webhook}/`);
    return journal;
  }

  protected override async keep(lines: readonly Line[]): Promise<void> {
    const changes = new Map<string, string | undefined>();
    const removed: string[] = [];
    for (const line of lines) {
      if ('add' in line) changes.set(WEBHOOK + line.add.id, JSON.stringify(line.add));
      else if ('remove' in line) {
        changes.set(WEBHOOK + line.remove, undefined);
        removed.push(line.remove);
      } else {
        const [webhook, room, ...told] = line.told;
        changes.set(`${TOLD}${webhook}/${room}`, told[0] === 0 ? undefined : told.join(' '));
      }
    }
    await this.#notes.put(changes);
    for (const webhook of removed) await this.#notes.removeAll(`${TOLD}${webhook}/`);
  }
}

/** Ids of webhooks have no slash; those of rooms may. */
function splitOnce(name: string): readonly string[] {
  const at = name.indexOf('/');
  return [name.slice(0, at), name.slice(at + 1)];
}
