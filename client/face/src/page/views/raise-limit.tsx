/** Allows a goal more than it has nearly or wholly used, where that is told: for itself when it goes on, or for all goals. */
import type { Attention } from '@weft/studio-client';
import { Does, Field } from '../parts/ui.js';

const UNITS: Readonly<Record<string, string>> = {
  maxGoalTokens: 'tokens',
  maxGoalDollars: 'dollars',
  maxGoalDurationMinutes: 'minutes',
};

/** Number above nothing; only dollars have parts. */
function limitIn(text: string, field: string): number | undefined {
  const isNumber = (field === 'maxGoalDollars' ? /^\d{1,6}(\.\d{1,6})?$/ : /^\d{1,12}$/).test(text.trim());
  return isNumber && Number(text) > 0 ? Number(text) : undefined;
}

export function RaiseLimit(props: {
  readonly item: Attention;
  readonly draft: string;
  readonly onWrite: (text: string) => void;
  readonly onDone: () => void;
}) {
  const { item, draft, onWrite, onDone } = props;
  const { operation, asks: [field = ''] = [] } =
    item.actions.find(({ asks }) => asks.some((name) => name in UNITS)) ?? {};
  const limit = limitIn(draft, field);
  const given = limit === undefined ? {} : { [field]: limit };
  if (operation === 'goal.resume')
    return (
      <>
        <Field label={`It may use so many ${UNITS[field] ?? ''}`} value={draft} onInput={onWrite} />
        <Does
          label="Go on"
          kind="main"
          disabled={limit === undefined}
          operation="goal.resume"
          input={{ goalId: item.id, ...given }}
          done="It goes on"
          after={onDone}
        />
      </>
    );
  if (operation === 'option.change')
    return (
      <>
        <Field label={`Each goal may use so many ${UNITS[field] ?? ''}`} value={draft} onInput={onWrite} />
        <Does
          label="Allow it"
          kind="main"
          disabled={limit === undefined}
          operation="option.change"
          input={given}
          done="It holds from now on"
          after={onDone}
        />
      </>
    );
  return <p class="quiet small">Its limit is its own: pause it, and it may go on with another one.</p>;
}
