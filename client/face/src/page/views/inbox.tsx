/** Inbox: what needs a person, first what holds up most for longest, each answered where it stands. */
import { signal } from '@preact/signals';
import type { Attention } from '@weft/studio-client';
import { useEffect, useRef } from 'preact/hooks';
import { act } from '../core/act.js';
import { useKeys } from '../core/keys.js';
import { lazy } from '../core/lazy.js';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { isDemonstration } from '../core/session.js';
import { GiveKey } from '../parts/give-key.js';
import { Words, titleOf } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read } from '../parts/ui.js';
import { Moving } from './moving.js';
import { RaiseLimit } from './raise-limit.js';
import { WaysBack } from './ways-back.js';

const KINDS: Readonly<Record<Attention['kind'], string>> = {
  answer: 'Answer',
  review: 'Review',
  land: 'Land',
  checks: 'Checks',
  conflict: 'Conflict',
  failed: 'Failed',
  key: 'Key',
  budget: 'Budget',
  held: 'Held',
  paused: 'Paused',
  memory: 'Remember',
};

/** Id of the item that keys act on; not its place, so that nothing moves under them. */
const chosen = signal<string | undefined>(undefined);
/** What was begun to be written, by item. */
const drafts = signal<Readonly<Record<string, string>>>({});

export function Inbox() {
  const attention = useQuery('attention.list', {});
  const list = useRef<HTMLUListElement>(null);
  const items = useSteady(attention.data?.items ?? [], list);
  useKeptFocus(items);
  const place = (): number => items.findIndex(({ id }) => id === chosen.value);
  const move = (by: number): void => {
    const next = items[Math.min(items.length - 1, Math.max(0, place() + by))];
    if (next) document.querySelector<HTMLElement>(`[data-item="${CSS.escape(next.id)}"]`)?.focus();
  };
  useKeys([
    { keys: 'j', does: 'Next item', run: () => move(1) },
    { keys: 'k', does: 'Item before', run: () => move(place() === -1 ? 1 : -1) },
    { keys: 'Enter', does: 'Open the item', run: () => openItem(items[place()]) },
    { keys: 'r', does: 'Answer the item', run: () => fieldOf(items[place()])?.focus() },
    ...Array.from({ length: 9 }, (_none, choice) => ({
      keys: String(choice + 1),
      does: `Choose answer ${choice + 1}`,
      run: () => buttonsOf(items[place()])[choice]?.click(),
    })),
  ]);
  return (
    <>
      <Heading title="Inbox">
        <a class="button main" href="/goals/new">
          Set a goal
        </a>
      </Heading>
      <div class="two">
        <section aria-labelledby="needs">
          <h2 id="needs">Needs you</h2>
          <Read of={attention}>
            {() =>
              items.length === 0 ? (
                <Nothing />
              ) : (
                <ul class="items" ref={list}>
                  {items.map((item) => (
                    <Item key={`${item.kind} ${item.id}`} item={item} />
                  ))}
                </ul>
              )
            }
          </Read>
        </section>
        <Moving />
      </div>
    </>
  );
}

const Offer = lazy(async () => (await import('./demonstration.js')).Offer);

/** Nothing waits; where nothing was ever begun, how one begins. */
function Nothing() {
  const goals = useQuery('goal.list', { newest: 1 });
  const isNew = goals.data?.goals.length === 0;
  const repositories = useQuery('repository.list', {}, isNew);
  return (
    <>
      <Empty>Nothing waits for you.</Empty>
      {isNew && !isDemonstration.value && <Offer />}
      {isNew && !isDemonstration.value && (
        <ol class="first" aria-label="How to begin">
          <li>
            <a href="/repositories">Register a folder</a>: a repository that agents may work on, on branches of their
            own. {(repositories.data?.length ?? 0) > 0 && <b>Done.</b>}
          </li>
          <li>
            <a href="/goals/new">Say what is to be achieved</a>, in your words. The studio asks the model that it was
            started with (<code>--model</code>), and says so if there is none.
          </li>
          <li>Here you are asked: questions, reviews before anything lands, and what went wrong.</li>
        </ol>
      )}
    </>
  );
}

/** Items in an order that stands still while somebody points into the list or writes in it: what is new comes last then. */
function useSteady(items: readonly Attention[], list: { readonly current: HTMLElement | null }): readonly Attention[] {
  const { current: order } = useRef<{ ids: readonly string[] }>({ ids: [] });
  const isHeld = list.current?.matches(':hover, :focus-within') ?? false;
  const place = ({ id }: Attention): number => {
    const at = order.ids.indexOf(id);
    return at === -1 ? order.ids.length : at;
  };
  const shown = isHeld ? items.toSorted((a, b) => place(a) - place(b)) : items;
  order.ids = shown.map(({ id }) => id);
  return shown;
}

/** Moves the focus on when the item that had it is gone: to the one in its place, or to the heading. */
function useKeptFocus(items: readonly Attention[]): void {
  const { current: before } = useRef<{ ids: readonly string[] }>({ ids: [] });
  useEffect(() => {
    const at = before.ids.indexOf(chosen.value ?? '');
    before.ids = items.map(({ id }) => id);
    const isGone = at !== -1 && !before.ids.includes(chosen.value ?? '');
    if (!isGone || document.activeElement !== document.body) return;
    const next = elementOf(items[Math.min(at, items.length - 1)]);
    (next ?? document.querySelector<HTMLElement>('main h1'))?.focus();
  }, [items]);
}

function Item({ item }: { readonly item: Attention }) {
  const { id, kind, sentence, since, blocks, goal, goalId } = item;
  useEffect(() => {
    chosen.value ??= id;
  }, []);
  return (
    <li
      class={`item ${chosen.value === id ? 'chosen' : ''}`}
      data-item={id}
      data-kind={kind}
      tabIndex={-1}
      onFocusCapture={() => (chosen.value = id)}
    >
      <div class="row">
        <span class={`kind is-${kind}`}>{KINDS[kind]}</span>
        <span class="grow">
          <ItemTitle item={item} />
        </span>
        <span class="facts">
          {blocks > 0 && `blocks ${blocks} · `}
          <When at={since} />
        </span>
      </div>
      {goal !== undefined && goalId !== undefined && titleOf(goal) !== titleOf(sentence) && (
        <p class="quiet small">
          of <a href={pathTo('goals', goalId)}>{titleOf(goal)}</a>
        </p>
      )}
      <Answers item={item} />
    </li>
  );
}

function ItemTitle({ item }: { readonly item: Attention }) {
  const path = pathOf(item);
  const words = <Words text={titleOf(item.sentence, 300)} />;
  return path === undefined ? words : <a href={path}>{words}</a>;
}

/** Where an item is shown whole. */
function pathOf({ kind, id, workUnitId, goalId }: Attention): string | undefined {
  if (kind === 'review' || kind === 'land' || kind === 'checks') return pathTo('reviews', id);
  if (kind === 'failed') return pathTo('recover', id);
  if (kind === 'conflict') return pathTo('conflicts', id);
  if (kind === 'key') return pathTo('agents');
  if (workUnitId !== undefined && kind !== 'paused' && kind !== 'budget') return pathTo('units', workUnitId);
  return goalId === undefined ? undefined : pathTo('goals', goalId);
}

function openItem(item: Attention | undefined): void {
  const path = item && pathOf(item);
  if (path !== undefined) go(path);
}

function elementOf(item: Attention | undefined): HTMLElement | null {
  return item ? document.querySelector(`[data-item="${CSS.escape(item.id)}"]`) : null;
}

function fieldOf(item: Attention | undefined): HTMLElement | null {
  return elementOf(item)?.querySelector<HTMLElement>('input, textarea') ?? null;
}

function buttonsOf(item: Attention | undefined): HTMLButtonElement[] {
  return [...(elementOf(item)?.querySelectorAll<HTMLButtonElement>('button[data-operation]') ?? [])];
}

/** What can be done about an item, where it stands. */
export function Answers({ item }: { readonly item: Attention }) {
  const { id, kind, goalId, workUnitId } = item;
  const draft = drafts.value[id] ?? '';
  const write = (text: string): void => void (drafts.value = { ...drafts.value, [id]: text });
  const forget = (): void => {
    const { [id]: _gone, ...others } = drafts.value;
    drafts.value = others;
  };
  switch (kind) {
    case 'answer':
      return (
        <div class="answers">
          {item.context !== undefined && <p class="prose small">{titleOf(item.context, 600)}</p>}
          <div class="row wrap">
            {(item.options ?? []).map((option) => (
              <Does
                key={option}
                label={titleOf(option)}
                operation="clarification.respond"
                input={{ workUnitId: workUnitId ?? '', requestId: id, response: option }}
                done="Answered"
                after={forget}
              />
            ))}
          </div>
          <div class="row wrap">
            <Field label="Your answer" name="answer" value={draft} onInput={write} />
            <Does
              label="Answer"
              kind="main"
              disabled={draft.trim() === ''}
              operation="clarification.respond"
              input={{ workUnitId: workUnitId ?? '', requestId: id, response: draft }}
              done="Answered"
              after={forget}
            />
          </div>
          {item.timeoutAt !== undefined && (
            <p class="quiet small">
              Waits until {new Date(item.timeoutAt).toLocaleString('en')}, then: {item.timeoutBehavior}
            </p>
          )}
        </div>
      );
    case 'review':
    case 'land':
    case 'checks':
      return (
        <div class="row wrap">
          <a class="button main" href={pathTo('reviews', id)}>
            Look at the changes
          </a>
        </div>
      );
    case 'failed':
      return <WaysBack entryId={id} ways={item.actions.map(({ operation }) => operation)} />;
    case 'key':
      return (
        <div class="row wrap">
          <Field
            label={`Key ${id}`}
            type="password"
            value={draft}
            onInput={write}
            hint="Held in memory until the studio stops."
          />
          <GiveKey name={id} secret={draft} onGiven={forget} />
        </div>
      );
    case 'held':
      return (
        <div class="row wrap">
          <Does
            label="Plan it anew"
            kind="main"
            operation="external-goal.recover"
            input={{ goalId: goalId ?? '', action: 'replan' }}
            done="It is planned anew"
          />
          <Cancel goalId={goalId ?? ''} />
        </div>
      );
    case 'paused':
      return (
        <div class="row wrap">
          <Does
            label="Go on"
            kind="main"
            operation="goal.resume"
            input={{ goalId: id }}
            done="It goes on"
            undo={() => act('goal.pause', { goalId: id }, 'Paused again')}
          />
          <Cancel goalId={id} />
        </div>
      );
    case 'memory':
      return (
        <div class="row wrap">
          <Does
            label="Remember it"
            kind="main"
            operation="memory.confirm"
            input={{ memoryId: id }}
            done="Remembered"
            undo={() => act('memory.remove', { memoryId: id }, 'It is told to nobody')}
          />
          <Does label="Refuse" operation="memory.refuse" input={{ memoryId: id }} done="Refused" />
        </div>
      );
    case 'budget':
      return (
        <div class="row wrap">
          <RaiseLimit item={item} draft={draft} onWrite={write} onDone={forget} />
          <Cancel goalId={id} />
        </div>
      );
    case 'conflict':
      return (
        <div class="row wrap">
          <a class="button main" href={pathTo('conflicts', id)}>
            Resolve
          </a>
        </div>
      );
  }
}

function Cancel({ goalId }: { readonly goalId: string }) {
  return (
    <Does
      label="Cancel the goal"
      kind="danger"
      sure="Cancel all of its work?"
      operation="external-goal.cancel"
      input={{ goalId }}
      done="Cancelled"
    />
  );
}
