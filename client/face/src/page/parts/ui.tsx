/** What all views are made of. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { Operations, StudioError } from '@weft/studio-client';
import { act } from '../core/act.js';
import { note } from '../core/notes.js';
import type { Query } from '../core/query.js';
import { scope } from '../core/session.js';
import { commandFor, restFor } from '../core/twin.js';

export function Heading({
  title,
  children,
}: {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <header class="heading">
      <h1 tabIndex={-1}>{title}</h1>
      <div class="row wrap">{children}</div>
    </header>
  );
}

/** Draws a read: while it is on its way, when it failed, and what it brought, with a note when that is old. */
export function Read<T>({
  of,
  children,
}: {
  readonly of: Query<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error } = of;
  if (data === undefined && error) return <Failed error={error} />;
  if (data === undefined) return <Reading />;
  return (
    <>
      {error && <Failed error={error} />}
      {children(data)}
    </>
  );
}

export function Reading() {
  return (
    <p class="quiet" role="status">
      Reading …
    </p>
  );
}

function Failed({ error }: { readonly error: Error }) {
  return (
    <p class="failed" role="alert">
      This could not be read: {error.message}
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** State of something, in words: colour says nothing that they do not. */
export function State({ is }: { readonly is: string }) {
  return <span class={`state ${toneOf(is)}`}>{stateWords(is)}</span>;
}

/** Name of a state as people say it: `ReadyForReview` is "Ready for review". */
export function stateWords(state: string): string {
  if (state === 'DeadLettered') return 'Failed';
  return state.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

const TONES: Readonly<Record<string, string>> = {
  Executing: 'moving',
  Active: 'moving',
  Exploring: 'moving',
  Converging: 'moving',
  UnderReview: 'moving',
  active: 'moving',
  Merged: 'good',
  Completed: 'good',
  Passed: 'good',
  passed: 'good',
  merged: 'good',
  Converged: 'good',
  Approved: 'good',
  Reviewing: 'wanted',
  Proposed: 'wanted',
  ReadyForReview: 'wanted',
  Blocked: 'bad',
  DeadLettered: 'bad',
  Failed: 'bad',
  failed: 'bad',
  Rejected: 'bad',
  Open: 'bad',
};

function toneOf(state: string): string {
  return TONES[state] ?? 'plain';
}

interface DoesProps<Id extends keyof Operations> {
  readonly label: ComponentChildren;
  readonly operation: Id;
  readonly input: Operations[Id]['input'];
  /** What is said when it is done. */
  readonly done: string;
  readonly kind?: 'main' | 'danger' | 'plain';
  readonly disabled?: boolean;
  /** Asked before it is done, where it cannot be undone. */
  readonly sure?: string;
  readonly after?: (answer: Operations[Id]['output']) => void;
  /** Told of a refusal, beside the message that it makes. */
  readonly refused?: (refusal: StudioError) => void;
  /** Takes it back, where it can be taken back. */
  readonly undo?: (answer: Operations[Id]['output']) => unknown;
  readonly keys?: string;
  /** Command that does the same. Default: that of the operation. It must not show a secret. */
  readonly command?: string;
}

/** Whether the page may do what needs this scope. */
function mayOperate(): boolean {
  return scope.value !== 'read';
}

/** A button that calls one operation, and a small one beside it that shows how to do the same elsewhere. */
export function Does<Id extends keyof Operations>(props: DoesProps<Id>) {
  const {
    label,
    operation,
    input,
    done,
    kind = 'plain',
    disabled = false,
    sure,
    after,
    undo,
    refused,
    keys,
    command,
  } = props;
  const isBusy = useSignal(false);
  const isAsking = useSignal(false);
  const run = async (): Promise<void> => {
    if (sure !== undefined && !isAsking.value) return void (isAsking.value = true);
    isAsking.value = false;
    isBusy.value = true;
    const answer = await act(operation, input, done, { undo, refused });
    isBusy.value = false;
    if (answer !== undefined) after?.(answer);
  };
  return (
    <span class="does">
      <button
        type="button"
        class={kind}
        data-operation={operation}
        disabled={disabled || isBusy.value || !mayOperate()}
        title={mayOperate() ? (keys === undefined ? undefined : `key ${keys}`) : 'This page may only read.'}
        onClick={() => void run()}
        onBlur={() => (isAsking.value = false)}
      >
        {isAsking.value ? sure : label}
      </button>
      <Twin name={operation} command={command ?? commandFor(operation, input)} rest={restFor(operation)} />
    </span>
  );
}

/** Shows the command and the REST call of an action. */
export function Twin({
  name,
  command,
  rest,
}: {
  readonly name: string;
  readonly command: string;
  readonly rest: string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span class="twin">
      <button
        type="button"
        class="ghost"
        aria-expanded={isOpen}
        aria-label={`Command that does the same: ${name}`}
        title="The same as a command"
        onClick={() => setOpen(!isOpen)}
      >
        ›_
      </button>
      {isOpen && (
        <span class="twin-card" role="group" aria-label="The same elsewhere">
          <code>{command}</code>
          <code class="quiet">{rest}</code>
          <button type="button" onClick={() => void copy(command)}>
            Copy
          </button>
        </span>
      )}
    </span>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    note('Copied');
  } catch {
    note('The browser does not let this page copy', { isError: true });
  }
}

/** A field with a label, for one line or several. */
export function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly lines?: number;
  readonly hint?: string;
  readonly type?: 'text' | 'password';
  readonly name?: string;
}) {
  const { label, value, onInput, lines = 1, hint, type = 'text', name } = props;
  return (
    <label class="field">
      <span>{label}</span>
      {lines > 1 ? (
        <textarea rows={lines} name={name} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <Line type={type} name={name} value={value} onInput={onInput} />
      )}
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}

function Line({
  type,
  name,
  value,
  onInput,
}: {
  readonly type: 'text' | 'password';
  readonly name: string | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const write = (event: { readonly currentTarget: HTMLInputElement }): void => onInput(event.currentTarget.value);
  return type === 'password' ? (
    <input type="password" name={name} value={value} autocomplete="off" onInput={write} />
  ) : (
    <input type="text" name={name} value={value} autocomplete="off" onInput={write} />
  );
}

export function Choose(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly hint?: string;
}) {
  const { label, value, options, onChange, name, hint } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([of, text]) => (
          <option key={of} value={of}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}

/** Views of one thing, of which one shows. */
export function Tabs(props: {
  readonly names: readonly string[];
  readonly open: string;
  readonly onOpen: (name: string) => void;
}) {
  const { names, open, onOpen } = props;
  const move = (event: KeyboardEvent, by: number): void => {
    event.preventDefault();
    const next = names[(names.indexOf(open) + by + names.length) % names.length] ?? open;
    onOpen(next);
    const list = event.currentTarget instanceof HTMLElement ? event.currentTarget : null;
    requestAnimationFrame(() => list?.querySelector<HTMLElement>('[aria-selected=true]')?.focus());
  };
  return (
    <div
      class="tabs"
      role="tablist"
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') move(event, 1);
        if (event.key === 'ArrowLeft') move(event, -1);
      }}
    >
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === open}
          tabIndex={name === open ? 0 : -1}
          onClick={() => onOpen(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Formatters of large numbers, made when there is one: the first of a language takes long. */
let dollars: Intl.NumberFormat | undefined;
let compact: Intl.NumberFormat | undefined;
let grouped: Intl.NumberFormat | undefined;

export function money(usd: number): string {
  if (usd < 1000) return `$${usd.toFixed(2)}`;
  dollars ??= new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
  return dollars.format(usd);
}

export function count(number: number): string {
  if (Number.isInteger(number) && Math.abs(number) < 1000) return String(number);
  if (number < 10_000) return (grouped ??= new Intl.NumberFormat('en')).format(number);
  return (compact ??= new Intl.NumberFormat('en', { notation: 'compact' })).format(number);
}

export function many(number: number, one: string, more = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** Short form of an id, enough to recognize and to type. */
export function shortId(id: string): string {
  return id.slice(0, id.indexOf('-') + 9);
}
