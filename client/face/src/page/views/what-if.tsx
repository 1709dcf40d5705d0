/** What if: the work of a proposal is done again, beside it, under another rule, goal or agent. */
import { useState } from 'preact/hooks';
import { useQuery } from '../core/query.js';
import { go, pathTo } from '../core/route.js';
import { titleOf } from '../parts/text.js';
import { Choose, Does, Field } from '../parts/ui.js';

export function WhatIf({ proposalId }: { readonly proposalId: string }) {
  const profiles = useQuery('agent-profile.list', {});
  const [rule, setRule] = useState('');
  const [goal, setGoal] = useState('');
  const [profile, setProfile] = useState('worker');
  return (
    <div class="form">
      <Field label="What should have been kept to" name="if-rule" lines={2} value={rule} onInput={setRule} />
      <Field label="Another goal, if any" name="if-goal" value={goal} onInput={setGoal} />
      <Choose
        label="Who does it"
        name="if-profile"
        value={profile}
        options={(profiles.data ?? []).map((one) => [one.agentProfileId, titleOf(one.name)] as const)}
        onChange={setProfile}
      />
      <Does
        label="Do it again so"
        operation="counterfactual.create"
        input={{
          proposalId,
          newProfileId: profile,
          ...(rule.trim() === '' ? {} : { constraintText: rule.trim() }),
          ...(goal.trim() === '' ? {} : { newGoalOverride: goal.trim() }),
        }}
        done="It is done again beside this one"
        after={({ workUnitId }) => go(pathTo('units', workUnitId))}
      />
    </div>
  );
}
