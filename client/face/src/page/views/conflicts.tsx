/** Conflicts: what changed on both sides, and what the result is to be; and which branches will collide before they try. */
import type { Attention, Operations, ProposalFileChange } from '@weft/studio-client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { SideText } from '../parts/side-text.js';
import { Code, shortName, titleOf, visible } from '../parts/text.js';
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
      <Radar />
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
          all.map(({ repositoryId, label, path }) => (
            <Collisions key={repositoryId} repositoryId={repositoryId} name={titleOf(label ?? path)} />
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
              <Empty>
                It is resolved, or an agent is at work on it. <a href="/conflicts">All conflicts</a>
              </Empty>
            </>
          );
        return <Open item={item} />;
      }}
    </Read>
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

function OfProposals({ conflictId, workUnitId }: { readonly conflictId: string; readonly workUnitId: string }) {
  const conflicts = useQuery('conflict.listOfTask', { workUnitId });
  return (
    <Read of={conflicts}>
      {(all) => {
        const found = all.find((one) => one.conflictId === conflictId);
        if (!found) return <Empty>It is resolved.</Empty>;
        const { proposalId, winningProposalId, conflictingPaths } = found;
        return (
          <ThreeWay
            proposalId={proposalId}
            winnerId={winningProposalId}
            paths={conflictingPaths}
            actions={(files) => (
              <>
                <Does
                  label="Ask an agent to bring both together"
                  operation="conflict.reconcileTask"
                  input={{ workUnitId, conflictId }}
                  done="An agent has it"
                  after={() => go('/inbox')}
                />
                <Does
                  label="Take this result"
                  kind="main"
                  disabled={files === undefined}
                  operation="conflict.resolveTask"
                  input={{ workUnitId, conflictId, files: files ?? {} }}
                  done="Resolved"
                  after={() => go('/inbox')}
                />
              </>
            )}
          />
        );
      }}
    </Read>
  );
}

function OfCandidate({ conflictId }: { readonly conflictId: string }) {
  const conflicts = useQuery('conflict.listOfCandidate', {});
  return (
    <Read of={conflicts}>
      {(all) => {
        const found = all.find((one) => one.conflictId === conflictId);
        if (!found) return <Empty>It is resolved.</Empty>;
        const { proposalId, winningProposalId, conflictingPaths } = found;
        return (
          <ThreeWay
            proposalId={proposalId}
            winnerId={winningProposalId}
            paths={conflictingPaths}
            actions={(files) => (
              <>
                <Does
                  label="Ask an agent to bring both together"
                  operation="conflict.reconcileCandidate"
                  input={{ conflictId }}
                  done="An agent has it"
                  after={() => go('/inbox')}
                />
                <Does
                  label="Take this result"
                  kind="main"
                  disabled={files === undefined}
                  operation="conflict.resolveCandidate"
                  input={{ conflictId, files: files ?? {} }}
                  done="Resolved"
                  after={() => go('/inbox')}
                />
              </>
            )}
          />
        );
      }}
    </Read>
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

const MARKS = /^(?:<{7}|>{7}|={7})(?: |$)/m;

/** What landed, the result, and what would land; a result for each file before anything can be taken. */
function ThreeWay({ proposalId, winnerId, paths, actions }: ThreeWayProps) {
  const theirs = useQuery('merge.fileChanges', { proposalId });
  const ours = useQuery('merge.fileChanges', { proposalId: winnerId ?? '' }, winnerId !== undefined);
  const [results, setResults] = useState<Files>({});
  const isWhole = paths.every((path) => Object.hasOwn(results, path) && !MARKS.test(results[path] ?? ''));
  const left = paths.filter((path) => !Object.hasOwn(results, path)).length;
  return (
    <Read of={theirs}>
      {({ fileChanges }) => (
        <>
          <p role="status">
            {left === 0 ? 'Every file has a result.' : `${many(left, 'file')} left of ${paths.length}.`}
          </p>
          {paths.map((path) => (
            <Sides
              key={path}
              path={path}
              ours={contentOf(ours.data?.fileChanges, path)}
              theirs={contentOf(fileChanges, path)}
              base={fileChanges.find((change) => change.path === path)?.beforeContent}
              result={results[path]}
              onResult={(text) => setResults({ ...results, [path]: text })}
            />
          ))}
          <div class="row wrap">{actions(isWhole ? results : undefined)}</div>
        </>
      )}
    </Read>
  );
}

function contentOf(changes: readonly ProposalFileChange[] | undefined, path: string): string | null | undefined {
  const found = changes?.find((change) => change.path === path);
  if (!found) return undefined;
  return found.changeKind === 'Deleted' ? null : found.afterContent;
}

interface SidesProps {
  readonly path: string;
  /** Text, null of a file that is gone, undefined where it is not known. */
  readonly ours: string | null | undefined;
  readonly theirs: string | null | undefined;
  readonly base: string | undefined;
  readonly result: string | null | undefined;
  readonly onResult: (text: string | null) => void;
}

function Sides({ path, ours, theirs, base, result, onResult }: SidesProps) {
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
