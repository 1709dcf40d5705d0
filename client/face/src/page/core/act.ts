/** Actions: every one is an operation of the studio, which a command and a REST call do as well. */
import { type Operations, StudioError } from '@weft/studio-client';
import { note } from './notes.js';
import { refresh } from './query.js';
import { forget, isShutOut, studio } from './session.js';

interface Following<Id extends keyof Operations> {
  /** Takes it back. */
  readonly undo?: ((answer: Operations[Id]['output']) => unknown) | undefined;
  /** Told of a refusal, beside the message that it makes. */
  readonly refused?: ((refusal: StudioError) => void) | undefined;
}

/** Calls an operation once, says how it went, offers to undo it where a caller knows how, and has everything read again that is shown. Undefined where it was refused. */
export async function act<Id extends keyof Operations>(
  id: Id,
  input: Operations[Id]['input'],
  done: string,
  { undo, refused }: Following<Id> = {},
): Promise<Operations[Id]['output'] | undefined> {
  try {
    const answer = await studio.call(id, input, { key: crypto.randomUUID() });
    note(done, { undo: undo && (() => void undo(answer)) });
    return answer;
  } catch (error) {
    if (isShutOut(error)) forget('This page was ended, or its time is over.');
    const said = error instanceof Error ? error.message : String(error);
    note(said, { isError: true, more: error instanceof StudioError ? error.recovery : [] });
    if (error instanceof StudioError) refused?.(error);
    return undefined;
  } finally {
    refresh();
  }
}

/** Does what is no operation of the record, such as saving a file, and says so where it fails. */
export async function tried(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    note(error instanceof Error ? error.message : String(error), { isError: true });
  }
}
