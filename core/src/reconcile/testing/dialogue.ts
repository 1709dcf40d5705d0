/** Two sides talking until both are done. */
import { decodeValue, encodeValue } from '../../codec/bytes/msgpack.js';
import type { HeldIds } from '../held-ids.js';
import { Initiator } from '../initiator.js';
import type { Message } from '../messages.js';
import { Responder } from '../responder.js';

export interface Dialogue {
  /** Nodes that the side that opened has and the other lacks, and the other way round. */
  readonly sends: readonly number[];
  readonly answers: readonly number[];
  readonly steps: readonly string[];
  /** Bytes of all messages as MessagePack. */
  readonly bytes: number;
  /** CPU time of the side that is asked. */
  readonly answeringMs: number;
}

export interface DialogueOptions {
  readonly keyed?: boolean;
  /** What becomes of a message on its way. */
  readonly onTheWay?: (message: Message) => unknown;
  /** Before each message is taken. */
  readonly meanwhile?: () => void;
}

const MOST_MESSAGES = 10_000;

export function talk(one: HeldIds, other: HeldIds, options: DialogueOptions = {}): Dialogue {
  const { keyed = false, onTheWay = (message) => message, meanwhile } = options;
  const steps: string[] = [];
  let bytes = 0;
  const carry = (message: Message): unknown => {
    steps.push(message.step);
    const encoded = encodeValue(onTheWay(message));
    bytes += encoded.length;
    meanwhile?.();
    return decodeValue(encoded);
  };
  let answeringMs = 0;
  const answering = <T>(action: () => T): T => {
    const started = process.cpuUsage();
    const result = action();
    const { user, system } = process.cpuUsage(started);
    answeringMs += (user + system) / 1000;
    return result;
  };

  const initiator = new Initiator(one);
  const responder = answering(() => new Responder(other));
  let message: Message | undefined = initiator.open(keyed);
  while (message && steps.length < MOST_MESSAGES) {
    const asked: unknown = carry(message);
    const answer = answering(() => responder.receive(asked));
    message = answer && initiator.receive(carry(answer));
  }
  if (!initiator.send || !responder.send) throw new Error(`unfinished after ${steps.join(' ')}`);
  return { sends: initiator.send, answers: responder.send, steps, bytes, answeringMs };
}
