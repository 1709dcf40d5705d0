/** A button that says one word of an operator, with its twins on the command line and over HTTP. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { note } from '../core/notes.js';
import { Twin } from '../parts/ui.js';
import { type Word, commandOf, pathOf, say } from './client.js';
import { readAgain } from './use-words.js';
import type { Words } from './words.js';

interface SaysProps<W extends Word> {
  readonly label: ComponentChildren;
  readonly word: W;
  readonly input: Words[W]['input'];
  /** What is said when it is done. */
  readonly done: string;
  readonly kind?: 'main' | 'danger' | 'plain';
  readonly disabled?: boolean;
  /** Asked before it is done, where it cannot be undone. */
  readonly sure?: string;
  readonly after?: (answer: Words[W]['output']) => void;
}

export function Says<W extends Word>(props: SaysProps<W>) {
  const { label, word, input, done, kind = 'plain', disabled = false, sure, after } = props;
  const isBusy = useSignal(false);
  const isAsking = useSignal(false);
  const run = async (): Promise<void> => {
    if (sure !== undefined && !isAsking.value) return void (isAsking.value = true);
    isAsking.value = false;
    isBusy.value = true;
    try {
      const answer = await say(word, input);
      note(done);
      after?.(answer);
    } catch (error) {
      note(error instanceof Error ? error.message : String(error), { isError: true });
    }
    isBusy.value = false;
    readAgain();
  };
  return (
    <span class="does">
      <button
        type="button"
        class={kind}
        disabled={disabled || isBusy.value}
        onClick={() => void run()}
        onBlur={() => (isAsking.value = false)}
      >
        {isAsking.value ? sure : label}
      </button>
      <Twin name={word} command={commandOf(word, input)} rest={`POST ${pathOf(word, input.room)}`} />
    </span>
  );
}
