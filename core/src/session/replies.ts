/** Replies: what they have in common. */
import type { CommandTable } from '../contract/command-table.js';
import { Rejection } from '../rejection.js';
import { type Encoded, type Frame, SharedFrame } from '../wire/frame.js';
import { RequestId } from '../wire/scalars.js';

/** Replies say which request they answer. [ER2] */
export function echoOf(request: Frame | undefined): { readonly req_id?: string | number } {
  const given = request?.['req_id'];
  if (given === undefined) return {}; // said of every frame: a schema that refuses takes long
  const id = RequestId.safeParse(given);
  return id.success ? { req_id: id.data } : {};
}

export function expectedHello(): Rejection {
  return new Rejection('expected-hello', 'expected hello');
}

/** Answer whose JSON is written by hand. */
class WrittenFrame extends SharedFrame {
  readonly #write: (frame: Frame) => string;
  #written: string | undefined;

  constructor(frame: Frame, write: (frame: Frame) => string) {
    super(frame);
    this.#write = write;
  }

  override encoded(binary: boolean): Encoded {
    return binary ? super.encoded(true) : (this.#written ??= this.#write(this.frame));
  }
}

/** Answer to a request, written by hand where its command says how. */
export function answerTo(request: Frame, frame: Frame, table: CommandTable): SharedFrame {
  const answer = request['req_id'] === undefined ? frame : { ...frame, ...echoOf(request) };
  const write = table.commands.get(request.type)?.write?.[frame.type];
  return write ? new WrittenFrame(answer, write) : new SharedFrame(answer);
}
