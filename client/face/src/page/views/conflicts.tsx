/** Conflicts: what changed on both sides, and what the result is to be; and which branches will collide before they try. */
import type { Attention, Operations, ProposalFileChange } from '@weft/studio-client';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { AtIt } from '../parts/at-it.js';
import { repositoryName } from '../parts/repository-name.js';
import { SideText } from '../parts/changes/side-text.js';
import { Code, shortName, titleOf, visible } from '../parts/text.js';
import { isSettled, mergeMarked, placesIn, settle, withBreaksOf } from '../parts/changes/three-way.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State, many } from '../parts/ui.js';

type BranchCollision = Operations['branch.collisions']['output'][number];

export function Conflicts() {
  const attention = useQuery('attention.list', {});
  return (
    <>
      <Heading title="Conflicts" />
      <Read of={attention}>
        {({ items }) => {
          const open = items.filter(({ kind }) => kind === 'conflict');
          if (open.length === 0) return <Empty>No conflict waits for you.</Empty>;
          return (
            <ul class="rows">
              {open.map(({ id, sentence, since }) => (
                <li key={id} class="row">
                  <a class="grow" href={pathTo('conflicts', id)}>
                    {titleOf(sentence, 300)}
                  </a>
                  <When at={since} />
                </li>
              ))}
            </ul>
          );
        }}
      </Read>
      <UnderWay />
      <Radar />
    </>
  );
}

/** Conflicts on the candidate branch that agents are at; those of a goal stand with its work. */
function UnderWay() {
  const conflicts = useQuery('conflict.listOfCandidate', {});
  const open = conflicts.data?.filter(({ status }) => status === 'Reconciling') ?? [];
  if (open.length === 0) return null;
  return (
    <>
      <h2>Agents are at</h2>
      <ul class="rows">
        {open.map((one) => (
          <li key={one.conflictId}>
            <AtIt of={one} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Branches that change the same places: they collide when the second one lands. */
function Radar() {
  const repositories = useQuery('repository.list', {});
  return (
    <>
      <h2>Will collide</h2>
      <Read of={repositories}>
        {(all) =>
          all.map((one) => (
            <Collisions key={one.repositoryId} repositoryId={one.repositoryId} name={repositoryName(one)} />
          ))
        }
      </Read>
    </>
  );
}

function Collisions({ repositoryId, name }: { readonly repositoryId: string; readonly name: string }) {
  const collisions = useQuery('branch.collisions', { repositoryId });
  return (
    <Read of={collisions}>
      {(all) =>
        all.length === 0 ? (
          <p class="quiet">{name}: no two branches change the same places.</p>
        ) : (
          <Matrix name={name} collisions={all} />
        )
      }
    </Read>
  );
}

/** Branches against branches; a number says in how many files two collide, and opens which. */
function Matrix({ name, collisions }: { readonly name: string; readonly collisions: readonly BranchCollision[] }) {
  const [open, setOpen] = useState<BranchCollision | undefined>(undefined);
  const branches = [...new Set(collisions.flatMap(({ branchIds }) => branchIds))].sort();
  const between = (one: string, other: string): BranchCollision | undefined =>
    collisions.find(({ branchIds }) => branchIds.includes(one) && branchIds.includes(other));
  return (
    <>
      <div class="sideways-table" tabIndex={0} role="group" aria-label={`Collisions in ${name}`}>
        <table class="matrix">
          <caption>{name}</caption>
          <thead>
            <tr>
              <td />
              {branches.map((branch) => (
                <th key={branch} scope="col" title={visible(branch)}>
                  {shortName(branch)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {branches.map((row, at) => (
              <tr key={row}>
                <th scope="row" title={visible(row)}>
                  {shortName(row)}
                </th>
                {branches.map((column, place) => {
                  const found = place < at ? between(row, column) : undefined;
                  if (!found) return <td key={column} class={place === at ? 'self' : undefined} />;
                  return (
                    <td key={column} class="hit">
                      <button
                        type="button"
                        aria-expanded={open === found}
                        aria-label={`${many(found.conflicts.length, 'file')} of ${shortName(row)} and ${shortName(column)}`}
                        onClick={() => setOpen(open === found ? undefined : found)}
                      >
                        {found.conflicts.length}
                      </button>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {open && (
        <section aria-label="What collides">
          <p>{open.branchIds.map(shortName).join(' and ')} both change, as the second one lands:</p>
          <ul class="plain">
            {open.conflicts.map(({ path }) => (
              <li key={path}>
                <code>{visible(path)}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

export function Conflict({ conflictId }: { readonly conflictId: string }) {
  const attention = useQuery('attention.list', {});
  return (
    <Read of={attention}>
      {({ items }) => {
        const item = items.find(({ kind, id }) => kind === 'conflict' && id === conflictId);
        if (!item)
          return (
            <>
              <Heading title="Conflict" />
              <NotOpen conflictId={conflictId} />
            </>
          );
        return <Open item={item} />;
      }}
    </Read>
  );
}

/** A conflict that does not wait for a person: who is at it, where that is known here. */
function NotOpen({ conflictId }: { readonly conflictId: string }) {
  const conflicts = useQuery('conflict.listOfCandidate', {});
  const found = conflicts.data?.find((one) => one.conflictId === conflictId);
  return (
    <>
      {found && <AtIt of={found} />}
      <Empty>
        {found ? '' : 'It is resolved, or an agent is at work on it. '}
        <a href="/conflicts">All conflicts</a>
      </Empty>
    </>
  );
}

function Open({ item }: { readonly item: Attention }) {
  const { id, workUnitId = '', actions, since } = item;
  const isOf = (operation: string): boolean => actions.some((action) => action.operation === operation);
  return (
    <>
      <Heading title="Conflict">
        <State is="Open" /> <When at={since} />
      </Heading>
      <p>{titleOf(item.sentence, 400)}</p>
      {isOf('repository-conflict.resolve') && <InFolder conflictId={id} />}
      {isOf('conflict.resolveTask') && <OfProposals conflictId={id} workUnitId={workUnitId} />}
      {isOf('conflict.resolveCandidate') && <OfCandidate conflictId={id} />}
    </>
  );
}

/** A file that a person and the work have changed at once. */
function InFolder({ conflictId }: { readonly conflictId: string }) {
  const [content, setContent] = useState('');
  const done = (): void => go('/conflicts');
  const ways = [
    ['threeway', 'Merge line by line'],
    ['ast', 'Merge by structure'],
    ['llm', 'Ask a model'],
  ] as const;
  return (
    <div class="form">
      <div class="row wrap">
        {ways.map(([strategy, label]) => (
          <Does
            key={strategy}
            label={label}
            operation="repository-conflict.resolve"
            input={{ conflictId, strategy }}
            done="Resolved"
            after={done}
          />
        ))}
        <Does
          label="It is none"
          operation="repository-conflict.dismiss"
          input={{ conflictId }}
          done="Dismissed"
          after={done}
        />
      </div>
      <Field label="Or what the file is to hold" lines={12} value={content} onInput={setContent} />
      <Does
        label="Take this"
        kind="main"
        operation="repository-conflict.resolve"
        input={{ conflictId, strategy: 'human', content }}
        disabled={content === ''}
        done="Resolved"
        after={done}
      />
    </div>
  );
}

type ProposalConflict =
  | Operations['conflict.listOfTask']['output'][number]
  | Operations['conflict.listOfCandidate']['output'][number];

/** Proposals that changed the same lines, in one goal. */
function OfProposals({ conflictId, workUnitId }: { readonly conflictId: string; readonly workUnitId: string }) {
  const conflicts = useQuery('conflict.listOfTask', { workUnitId });
  return (
    <Read of={conflicts}>
      {(all) => (
        <Colliding
          conflict={all.find((one) => one.conflictId === conflictId)}
          reconcile={['conflict.reconcileTask', { workUnitId, conflictId }]}
          resolve={(files) => ['conflict.resolveTask', { workUnitId, conflictId, files }]}
        />
      )}
    </Read>
  );
}

/** Proposals that changed the same lines, on the candidate branch. */
function OfCandidate({ conflictId }: { readonly conflictId: string }) {
  const conflicts = useQuery('conflict.listOfCandidate', {});
  return (
    <Read of={conflicts}>
      {(all) => (
        <Colliding
          conflict={all.find((one) => one.conflictId === conflictId)}
          reconcile={['conflict.reconcileCandidate', { conflictId }]}
          resolve={(files) => ['conflict.resolveCandidate', { conflictId, files }]}
        />
      )}
    </Read>
  );
}

type Call<Id extends keyof Operations> = readonly [operation: Id, input: Operations[Id]['input']];

interface CollidingProps {
  readonly conflict: ProposalConflict | undefined;
  readonly reconcile: Call<'conflict.reconcileTask'> | Call<'conflict.reconcileCandidate'>;
  readonly resolve: (files: Files) => Call<'conflict.resolveTask'> | Call<'conflict.resolveCandidate'>;
}

function Colliding({ conflict, reconcile, resolve }: CollidingProps) {
  if (!conflict) return <Empty>It is resolved.</Empty>;
  const { proposalId, winningProposalId, conflictingPaths } = conflict;
  const done = (): void => go('/inbox');
  return (
    <ThreeWay
      proposalId={proposalId}
      winnerId={winningProposalId}
      paths={conflictingPaths}
      actions={(files) => {
        const [operation, input] = resolve(files ?? {});
        return (
          <>
            <Does
              label="Ask an agent to bring both together"
              operation={reconcile[0]}
              input={reconcile[1]}
              done="An agent has it"
              after={done}
            />
            <Does
              label="Take this result"
              kind="main"
              disabled={files === undefined}
              operation={operation}
              input={input}
              done="Resolved"
              after={done}
            />
          </>
        );
      }}
    />
  );
}

type Files = Readonly<Record<string, string | null>>;

interface ThreeWayProps {
  readonly proposalId: string;
  /** Proposal that landed first, where it is one. */
  readonly winnerId: string | undefined;
  readonly paths: readonly string[];
  /** What can be done; undefined as long as a file has no result, or one with marks of a conflict. */
  readonly actions: (files: Files | undefined) => ComponentChildren;
}

/** What landed, the result, and what would land. A result is what was merged until a person changes it. */
function ThreeWay({ proposalId, winnerId, paths, actions }: ThreeWayProps) {
  const theirs = useQuery('merge.fileChanges', { proposalId });
  const ours = useQuery('merge.fileChanges', { proposalId: winnerId ?? '' }, winnerId !== undefined);
  const [chosen, setChosen] = useState<Files>({});
  const files = useMemo(
    () => paths.map((path) => sidesOf(path, ours.data?.fileChanges, theirs.data?.fileChanges)),
    [paths, ours.data, theirs.data],
  );
  const results = files.map((file): [string, string | null | undefined] => [
    file.path,
    Object.hasOwn(chosen, file.path) ? chosen[file.path] : file.merged,
  ]);
  const left = files.filter((file, at) => !isResult(results[at]?.[1], file)).length;
  return (
    <Read of={theirs}>
      {() => (
        <>
          <p role="status">
            {left === 0 ? 'Every file has a result.' : `${many(left, 'file')} left of ${paths.length}.`}
          </p>
          {files.map((file, at) => (
            <Sides
              key={file.path}
              file={file}
              result={results[at]?.[1]}
              onResult={(text) => setChosen({ ...chosen, [file.path]: text })}
            />
          ))}
          <div class="row wrap">{actions(left === 0 ? takenOf(files, results) : undefined)}</div>
        </>
      )}
    </Read>
  );
}

/** Results as they land. */
function takenOf(
  files: readonly FileSides[],
  results: readonly (readonly [string, string | null | undefined])[],
): Files {
  const taken = files.map(({ path, ours, theirs }, at) => {
    const result = results[at]?.[1] ?? null;
    return [path, result === null ? null : withBreaksOf([ours ?? '', theirs ?? ''], result)] as const;
  });
  return Object.fromEntries(taken);
}

/** Sides of one file: text, null where the file is gone, undefined where it is not known. */
interface FileSides {
  readonly path: string;
  readonly ours: string | null | undefined;
  readonly theirs: string | null | undefined;
  readonly base: string | undefined;
  readonly merged: string | undefined;
}

type Changes = readonly ProposalFileChange[] | undefined;

function sidesOf(path: string, landed: Changes, coming: Changes): FileSides {
  const [ours, theirs] = [contentOf(landed, path), contentOf(coming, path)];
  const base = coming?.find((change) => change.path === path)?.beforeContent;
  const merged =
    typeof ours === 'string' && typeof theirs === 'string' ? mergeMarked(ours, base ?? '', theirs) : undefined;
  return { path, ours, theirs, base, merged };
}

function isResult(result: string | null | undefined, { ours, theirs }: FileSides): boolean {
  return result === null || (result !== undefined && isSettled(result, [ours ?? '', theirs ?? '']));
}

function contentOf(changes: Changes, path: string): string | null | undefined {
  const found = changes?.find((change) => change.path === path);
  if (!found) return undefined;
  return found.changeKind === 'Deleted' ? null : found.afterContent;
}

interface SidesProps {
  readonly file: FileSides;
  readonly result: string | null | undefined;
  readonly onResult: (text: string | null) => void;
}

function Sides({ file: { path, ours, theirs, base }, result, onResult }: SidesProps) {
  const both = [ours, theirs].filter((one) => typeof one === 'string').join('');
  return (
    <section class="card" aria-label={visible(path)}>
      <h2>{visible(path)}</h2>
      <div class="row wrap">
        {ours !== undefined && (
          <button type="button" onClick={() => onResult(ours)}>
            Take what landed
          </button>
        )}
        {theirs !== undefined && (
          <button type="button" onClick={() => onResult(theirs)}>
            Take what would land
          </button>
        )}
        {both !== '' && (
          <button type="button" onClick={() => onResult(both)}>
            Take both, one after the other
          </button>
        )}
      </div>
      {typeof result === 'string' && <Places path={path} text={result} onText={onResult} />}
      <div class="three">
        <Side name="Landed" path={path} text={ours} base={base} />
        <label class="field">
          <span>Result</span>
          {result === null ? (
            <em>no such file</em>
          ) : (
            <textarea
              rows={16}
              spellcheck={false}
              value={result ?? ''}
              onInput={(event) => onResult(event.currentTarget.value)}
            />
          )}
        </label>
        <Side name="Would land" path={path} text={theirs} base={base} />
      </div>
      {base !== undefined && (
        <details>
          <summary>What both began with</summary>
          <Code text={base} label="Base" lines={400} />
        </details>
      )}
    </section>
  );
}

/** Places where both sides changed the same lines, each settled by itself. */
function Places({
  path,
  text,
  onText,
}: {
  readonly path: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}) {
  return (
    <ol class="plain">
      {placesIn(text).map((place, at) => {
        const { landed, before, coming } = place;
        const ways = [
          ['Landed', landed],
          ['Would land', coming],
          ['Both', [...landed, ...coming]],
          ['As before', before],
        ] as const;
        return (
          <li key={at} class="card">
            <div role="group" aria-label={`Place ${at + 1}`} class="row wrap">
              <span>Line {place.at + 1}</span>
              {ways.map(([label, lines]) => (
                <button key={label} type="button" onClick={() => onText(settle(text, place, lines))}>
                  {label}
                </button>
              ))}
            </div>
            <div class="two-ways">
              <SideText name="Landed here" path={path} text={landed.join('\n')} base={before.join('\n')} />
              <SideText name="Would land here" path={path} text={coming.join('\n')} base={before.join('\n')} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** One side: lines that both began with as they are, its own ones with the words marked that they did not begin with. */
function Side({
  name,
  path,
  text,
  base,
}: {
  readonly name: string;
  readonly path: string;
  readonly text: string | null | undefined;
  readonly base: string | undefined;
}) {
  return (
    <div>
      <h3>{name}</h3>
      {text === undefined ? (
        <p class="quiet">not known here</p>
      ) : text === null ? (
        <p class="quiet">no such file</p>
      ) : (
        <SideText name={name} path={path} text={text} base={base ?? ''} />
      )}
    </div>
  );
}
