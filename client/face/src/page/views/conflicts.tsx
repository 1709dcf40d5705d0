/** Conflicts: what changed on both sides, and what the result is to be; and which branches will collide before they try. */
import type { Attention, ProposalFileChange } from '@weft/studio-client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { titleOf, visible } from '../parts/text.js';
import { When } from '../parts/time.js';
import { Does, Empty, Field, Heading, Read, State, many } from '../parts/ui.js';

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
          <table>
            <caption>{name}</caption>
            <thead>
              <tr>
                <th>Branch</th>
                <th>and</th>
                <th>in</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ branchIds: [first = '', second = ''], conflicts }) => (
                <tr key={`${first} ${second}`}>
                  <td>{titleOf(first, 60)}</td>
                  <td>{titleOf(second, 60)}</td>
                  <td>{conflicts.map(({ path }) => titleOf(path)).join(', ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </Read>
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
        <Side name="Landed" text={ours} base={base} />
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
        <Side name="Would land" text={theirs} base={base} />
      </div>
    </section>
  );
}

/** One side, with the lines marked that it does not share with what both began with. */
function Side({
  name,
  text,
  base,
}: {
  readonly name: string;
  readonly text: string | null | undefined;
  readonly base: string | undefined;
}) {
  const before = new Set((base ?? '').split('\n'));
  return (
    <div>
      <h3>{name}</h3>
      {text === undefined ? (
        <p class="quiet">not known here</p>
      ) : text === null ? (
        <p class="quiet">no such file</p>
      ) : (
        <pre tabIndex={0} aria-label={name}>
          {text
            .split('\n')
            .map((line, at) =>
              before.has(line) ? `${visible(line)}\n` : <mark key={at}>{`${visible(line)}\n`}</mark>,
            )}
        </pre>
      )}
    </div>
  );
}
