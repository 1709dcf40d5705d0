/** Local switch: whether this host follows a constraint. Nobody else is told; its id is that of the constraint. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('ConstraintToggled'),
  v: z.literal(1),
  artifactId: z.string(),
  disabled: z.boolean(),
});

export interface ConstraintSwitch {
  readonly artifactId: string;
  readonly disabled: boolean;
}

export const constraintSwitch = aggregate<ConstraintSwitch>()({
  name: 'constraint-switch',
  room: 'local',
  event,
  evolve: (_state, { artifactId, disabled }) => ({ artifactId, disabled }),
  decide: {
    toggle: (state, given: ConstraintSwitch): readonly z.infer<typeof event>[] =>
      state?.disabled === given.disabled ? [] : [{ type: 'ConstraintToggled', v: 1, ...given }],
  },
});
