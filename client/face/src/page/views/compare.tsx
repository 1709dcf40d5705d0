/** Two ways of doing something, side by side: the files that either changes, and in what their results differ. */
import type { MergeProposal, ProposalFileChange } from '@weft/studio-client';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { SideText } from '../parts/changes/side-text.js';
import { titleOf, visible } from '../parts/text.js';
import { Empty, Heading, Read, State, many } from '../parts/ui.js';

export function Compare({ ids: [first, second] }: { readonly ids: readonly [string, string] }) {
  const [one, other] = [useQuery('merge.get', { proposalId: first }), useQuery('merge.get', { proposalId: second })];
  const changes = [
    useQuery('merge.fileChanges', { proposalId: first }),
    useQuery('merge.fileChanges', { proposalId: second }),
  ] as const;
  return (
    <>
      <Heading title="Two ways, side by side" />
      <div class="two-ways">
        <Read of={one}>{(proposal) => <Way proposal={proposal} />}</Read>
        <Read of={other}>{(proposal) => <Way proposal={proposal} />}</Read>
      </div>
      <Read of={changes[0]}>
        {({ fileChanges: left }) => (
          <Read of={changes[1]}>{({ fileChanges: right }) => <Files left={left} right={right} />}</Read>
        )}
      </Read>
    </>
  );
}

function Way({ proposal: { proposalId, summary, status, confidence, model } }: { readonly proposal: MergeProposal }) {
  return (
    <div class="card">
      <a href={pathTo('reviews', proposalId)}>{titleOf(summary)}</a>
      <p class="quiet small">
        <State is={status} /> {model !== undefined && titleOf(model, 40)}
        {confidence !== undefined && `, ${Math.round(confidence * 100)} % sure`}
      </p>
    </div>
  );
}

function Files({
  left,
  right,
}: {
  readonly left: readonly ProposalFileChange[];
  readonly right: readonly ProposalFileChange[];
}) {
  const of = (changes: readonly ProposalFileChange[], path: string): ProposalFileChange | undefined =>
    changes.find((change) => change.path === path);
  const paths = [...new Set([...left, ...right].map(({ path }) => path))].sort();
  const same = paths.filter((path) => {
    const [a, b] = [of(left, path), of(right, path)];
    return a !== undefined && b !== undefined && a.afterContent !== undefined && a.afterContent === b.afterContent;
  });
  if (paths.length === 0) return <Empty>Neither changes a file.</Empty>;
  return (
    <>
      <p role="status">
        {many(paths.length, 'file')}; {many(same.length, 'file')} with the same result.
      </p>
      {paths
        .filter((path) => !same.includes(path))
        .map((path) => (
          <section key={path} class="card" aria-label={visible(path)}>
            <h2>{visible(path)}</h2>
            <div class="two-ways">
              <Result name="First" path={path} change={of(left, path)} other={of(right, path)} />
              <Result name="Second" path={path} change={of(right, path)} other={of(left, path)} />
            </div>
          </section>
        ))}
    </>
  );
}

interface ResultProps {
  readonly name: string;
  readonly path: string;
  readonly change: ProposalFileChange | undefined;
  readonly other: ProposalFileChange | undefined;
}

function Result({ name, path, change, other }: ResultProps) {
  if (!change) return <p class="quiet">leaves it as it is</p>;
  if (change.changeKind === 'Deleted') return <p class="quiet">takes it away</p>;
  if (change.afterContent === undefined) return <p class="quiet">is no text, or a long one</p>;
  // What it was before, where the other way does not touch it.
  const base = other?.afterContent ?? change.beforeContent ?? '';
  return <SideText name={name} path={path} text={change.afterContent} base={base} />;
}
