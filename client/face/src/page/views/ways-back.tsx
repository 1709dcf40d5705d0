/** The ways out of a failure, each with what it will do. */
import { useState } from 'preact/hooks';
import { Does, Field } from '../parts/ui.js';

/** Operations of the ways that there are for a failure. */
const WAYS = {
  'dead-letter.retry': ['Try again', 'The same work begins anew, and counts as another attempt.'],
  'dead-letter.retryWithContext': [
    'Correct and try again',
    'What you write becomes part of the goal; attempts are counted anew.',
  ],
  'dead-letter.goOn': ['Let it go on', 'It continues where it stopped, with a fresh budget of steps.'],
  'dead-letter.replan': ['Plan anew', 'It is cancelled, and a planner divides the same goal in its place.'],
} as const;
type Way = keyof typeof WAYS;

function isWay(operation: string): operation is Way {
  return Object.hasOwn(WAYS, operation);
}

export function WaysBack({
  entryId,
  ways,
  after,
}: {
  readonly entryId: string;
  readonly ways: readonly string[];
  readonly after?: () => void;
}) {
  const [correction, correct] = useState('');
  // What has to be written first stands last, with its field.
  const open = [false, true].flatMap((isWritten) =>
    ways.filter(isWay).filter((way) => (way === 'dead-letter.retryWithContext') === isWritten),
  );
  const then = after ? { after: () => after() } : {};
  return (
    <ul class="ways answers">
      {open.map((way) => (
        <li key={way}>
          {way === 'dead-letter.retryWithContext' ? (
            <Does
              label={WAYS[way][0]}
              operation={way}
              disabled={correction.trim() === ''}
              input={{ entryId, steeringContext: correction }}
              done="It has its turn again"
              {...then}
            />
          ) : (
            <Does label={WAYS[way][0]} operation={way} input={{ entryId }} done="It has its turn again" {...then} />
          )}
          <small>{WAYS[way][1]}</small>
          {way === 'dead-letter.retryWithContext' && (
            <Field label="Correction" name="correction" lines={2} value={correction} onInput={correct} />
          )}
        </li>
      ))}
    </ul>
  );
}
