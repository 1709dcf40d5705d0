/** Demonstration: how one comes to it from a studio without a model, and what comes next within it. */
import { useSignal } from '@preact/signals';
import type { Operations } from '@weft/studio-client';
import { useQuery } from '../core/query.js';
import { pathTo } from '../core/route.js';
import { Does } from '../parts/ui.js';

/** Offers it, with what it is. Nothing where none is offered. */
export function Offer() {
  const { state = 'none', home } = useQuery('demonstration.get', {}).data ?? {};
  const link = useSignal<string | undefined>(undefined);
  if (state === 'none' || state === 'this') return null;
  const isUnderWay = state === 'running';
  const isReached = home === undefined || isSameAddress(new URL(home), location);
  return (
    <section class="card" aria-labelledby="demonstration">
      <h2 id="demonstration">Without a model: the demonstration</h2>
      <p>
        A goal from its statement to its end, in five minutes: agents plan, ask, fail and are sent back. A script
        answers in place of a model, so it needs no key and costs nothing; all else is real. It is played in a studio of
        its own beside this one, on this machine, and nothing of it enters this one.
      </p>
      <div class="row wrap">
        <Does
          label={isUnderWay ? 'Go on with the demonstration' : 'Play the demonstration'}
          kind="main"
          operation="demonstration.play"
          input={{}}
          done={isReached ? 'It opens' : 'It has begun'}
          after={(played) => (isReached ? location.assign(played.link) : (link.value = played.link))}
        />
        {isUnderWay && (
          <Does
            label="End and remove it"
            kind="danger"
            sure="Remove all of it?"
            operation="demonstration.end"
            input={{}}
            done="It is gone"
          />
        )}
      </div>
      {!isReached && <Elsewhere link={isUnderWay ? link.value : undefined} />}
    </section>
  );
}

const LOCAL: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a page came from where the studio listens. Where it did not, another port of that machine need not be reached. */
function isSameAddress(home: Pick<URL, 'hostname' | 'port'>, page: Pick<URL, 'hostname' | 'port'>): boolean {
  return home.port === page.port && LOCAL.has(page.hostname);
}

/** Says where its page is to somebody whose browser may not reach it, as through a tunnel or a proxy. */
function Elsewhere({ link }: { readonly link: string | undefined }) {
  const why = `This page has come to you from ${location.host}, which is not where the studio listens, such as through a tunnel. The page of the demonstration is at a port of its own of the studio's machine`;
  if (link === undefined) return <p class="quiet">{why}, and is to be brought here in that way, too.</p>;
  const { origin, port } = new URL(link);
  return (
    <p role="status">
      {why}: <a href={link}>{origin}</a>. On that machine the link opens it, once. From another one, bring the port here
      first, such as with <code>{`ssh -L ${port}:127.0.0.1:${port}`}</code>, or run <code>weft demo</code> there, which
      needs no page.
    </p>
  );
}

type Waiting = Operations['attention.list']['output']['items'][number];

/** Says, above every view of the demonstration, what it is and what a person does next. */
export function NextStep() {
  const { home } = useQuery('demonstration.get', {}).data ?? {};
  return (
    <aside class="demonstration" aria-label="Demonstration">
      <p>
        <b>Demonstration.</b> A script answers in place of a model, and knows one goal.{' '}
        {home !== undefined && <a href={home}>Back to your studio</a>}
      </p>
      <p role="status">
        <Step />
      </p>
    </aside>
  );
}

function Step() {
  const goal = useQuery('goal.list', { newest: 1 }).data?.goals.at(0);
  const items = useQuery('attention.list', {}).data?.items;
  const proposals = useQuery('merge.list', { workUnitId: goal?.workUnitId }, goal !== undefined).data;
  if (items === undefined) return null;
  if (goal === undefined)
    return (
      <>
        First: <a href="/goals/new">state the goal</a>. The form is filled in; press <i>Begin</i>.
      </>
    );
  if (goal.status === 'Converged')
    return (
      <>
        It has landed on the branch of its repository. Look around: <a href="/time">Time</a> shows any moment of it,{' '}
        <a href="/audit">Audit</a> who did what. It is ended, and removed, at your studio.
      </>
    );
  if (goal.status === 'Abandoned')
    return (
      <>
        The goal was cancelled. <a href={pathTo('goals', goal.goalId)}>Begin it again</a>.
      </>
    );
  const find = (kind: Waiting['kind']): Waiting | undefined => items.find((item) => item.kind === kind);
  const failed = find('failed');
  const isOutOfTurns = failed?.actions.some(({ operation }) => operation === 'dead-letter.goOn');
  if (failed && !isOutOfTurns)
    return (
      <>
        It was sent back a third time, and after that nothing is tried again without you.{' '}
        <a href={pathTo('recover', failed.id)}>Choose a way out</a>: <i>Try again</i> goes on from here.
      </>
    );
  if (failed)
    return (
      <>
        An agent has failed. <a href={pathTo('recover', failed.id)}>Choose a way out</a>: each of them leads on, such as{' '}
        <i>Let it go on</i>.
      </>
    );
  if (find('answer'))
    return (
      <>
        An agent asks something: answer it in the <a href="/inbox">inbox</a>.
      </>
    );
  const review = find('review');
  if (review && !proposals?.some(({ status }) => status === 'Rejected'))
    return (
      <>
        The result waits for you, and it lacks something: nothing tests <code>src/subtract.js</code>.{' '}
        <a href={pathTo('reviews', review.id)}>Look at the changes</a>, press the number of a line to say so, and then{' '}
        <i>Request changes</i>.
      </>
    );
  if (review)
    return (
      <>
        It has come back with a test. <a href={pathTo('reviews', review.id)}>Look at it</a>, and press{' '}
        <i>Approve and land</i>.
      </>
    );
  if (items.length > 0)
    return (
      <>
        Something waits for you in the <a href="/inbox">inbox</a>.
      </>
    );
  return (
    <>
      Agents are at work on <a href={pathTo('goals', goal.goalId)}>the goal</a>: what they ask comes to the{' '}
      <a href="/inbox">inbox</a>.
    </>
  );
}
