import * as z from 'zod';
import { OperatorError } from '../../define.js';
import { AnyOneRoom, word } from '../word.js';

export const roomResume = word({
  noun: 'room',
  verb: 'resume',
  summary: 'Open a room again that was shut.',
  changes: true,
  in: AnyOneRoom,
  out: z.object({ room: z.string() }),
  everywhere: ([answer]) => answer ?? { room: '' },
  async run({ host }, { room }) {
    if (!(await host.resume(room))) throw new OperatorError(`room ${room} is not shut`);
    return { room };
  },
});
