import { type Replica, createReplica, decodePack, fromBase64, generateKeys } from '@weft/core';
import { decode, encode } from '@msgpack/msgpack';
import * as z from 'zod';
import { TEXT_KEY } from '../weft/text-replica.js';
import { messageOf, packOf, receiveWhole, sealedMessageOf } from '../weft/engine.js';
import type { Dialect } from './dialect.js';
import { Guest } from './guest.js';

const Welcome = z.object({ type: z.literal('welcome'), genesis: z.string() });
const Pack = z.object({ type: z.literal('pack'), nodes: z.instanceof(Uint8Array), final: z.boolean().optional() });

const HELLO = JSON.stringify({ type: 'hello', caps: { supports_binary: true } });
/** What two packs of one room differ in: the root that stands at the end of the frame. */
const TAIL_BYTES = 64;

export function weftDialect(): Dialect {
  const counted = new Map<string, number>();
  const parse = (frame: Buffer) => Pack.safeParse(isText(frame) ? undefined : decode(frame)).data;
  return {
    async enter(url) {
      const guest = await Guest.dial(url);
      await guest.enter([HELLO], (frame) => parse(frame)?.final === true);
      return guest;
    },
    async compose(writer, texts, perSeal) {
      const replica = await replicaOf(writer.history);
      const text = replica.text(TEXT_KEY);
      const messages: Uint8Array[] = [];
      let length = 0;
      for (const [index, added] of texts.entries()) {
        text.insert(length, added);
        length += added.length;
        const isSealed = (index + 1) % perSeal === 0 || index === texts.length - 1;
        messages.push(packFrame(isSealed ? await sealedMessageOf(replica) : messageOf(replica)));
      }
      return messages;
    },
    async document(writer, edits) {
      const replica = await replicaOf(writer.history);
      const text = replica.text(TEXT_KEY);
      for (const { position, deleted, inserted } of edits) {
        if (deleted > 0) text.delete(position, deleted);
        if (inserted !== '') text.insert(position, inserted);
      }
      return [packFrame(await packOf(replica))];
    },
    async *replacements(writer, values) {
      const replica = await replicaOf(writer.history);
      for (const value of values) {
        replica.set('value', value);
        yield packFrame(await sealedMessageOf(replica));
        replica.confirm();
      }
    },
    // Cache of counts by frame: every reader gets the same one, so it is decoded for the first of them.
    editsIn(frame) {
      const key = `${frame.length} ${frame.toString('latin1', frame.length - TAIL_BYTES)}`;
      const known = counted.get(key);
      if (known !== undefined) return known;
      const pack = parse(frame);
      const edits = pack ? decodePack(pack.nodes).nodes.length : 0;
      counted.set(key, edits);
      return edits;
    },
    async read(frames) {
      const replica = await replicaOf(frames);
      for (const frame of frames) {
        const pack = parse(frame);
        if (pack) await receiveWhole(replica, pack.nodes);
      }
      return replica.text(TEXT_KEY).toString();
    },
    uninvited: (bytes) => encode({ type: 'pack', nodes: new Uint8Array(bytes) }),
  };
}

function packFrame(nodes: Uint8Array): Uint8Array {
  return encode({ type: 'pack', nodes });
}

/** Up to the welcome, frames are JSON. */
function isText(frame: Buffer): boolean {
  return frame[0] === 0x7b;
}

async function replicaOf(history: readonly Buffer[]): Promise<Replica> {
  const [welcome] = history;
  const { genesis } = Welcome.parse(JSON.parse(String(welcome)));
  return createReplica({ genesis: fromBase64(genesis), keys: generateKeys() });
}
