/** Tools with which agents change the files of their branch. A change that fits nowhere says what is there instead. */
import { z } from 'zod';
import {
  type EditedFiles,
  type FileEdit,
  MOST_WRITTEN_BYTES,
  editFiles,
  requireSeen,
  requireText,
} from '../../rules/branches/files.js';
import { refusal } from '../../reasons.js';
import { digestOf, textOf } from '../../workspace/files/file-in-folder.js';
import { type LineRange, around, numbered } from '../../workspace/files/numbered-lines.js';
import { type FilePatch, parsePatch } from '../../workspace/files/patch-parser.js';
import { patchText } from '../../workspace/files/patch-text.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { type EditedText, editText, lineAt } from '../../workspace/files/text-edits.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, SETS } from '../kernel/hints.js';
import { OWN_TOOL_REFUSALS, type OwnWork, Told, ownWork } from './own-work.js';

const Path = z.string().min(1).max(4096).describe('File, relative to the root.');
const Text = z.string().max(MOST_WRITTEN_BYTES);
/** Lines shown around a change. */
const CONTEXT = 3;
const MOST_SHOWN = 120;

export const edit = operation({
  summary:
    'Change parts of a file: each edit replaces a text that stands there by another. All edits are made, or none. The old text need not be ' +
    'exact in its indentation where it can be one place alone.',
  scope: 'operate',
  in: z.object({
    path: Path,
    edits: z
      .array(
        z.object({
          old: Text.min(1).describe('What stands there now: whole lines, enough of them to be one place.'),
          new: Text.describe('What shall stand there.'),
          all: z.boolean().default(false).describe('Whether all places are meant.'),
        }),
      )
      .min(1)
      .max(100)
      .describe('Edits, made one after the other.'),
  }),
  out: Told,
  tool: 'edit',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: ENDS,
}).run(async (context, { path, edits }) => {
  let done: EditedText | undefined;
  const to: FileEdit['to'] = (before) => {
    const outcome = editText(requireThere(path, before), edits);
    if ('fault' in outcome) throw refusal('reject.text_not_found', `${path}: ${outcome.fault}`, { path });
    done = outcome;
    return outcome.text;
  };
  return changed(context, [{ path, to }], () => {
    const { text = '', places = [], overlooked = [] } = done ?? {};
    const ranges = places.map(({ start, end }) => ({
      from: lineAt(text, start),
      to: lineAt(text, Math.max(end, start)),
    }));
    const note = overlooked.length === 0 ? '' : ` (${overlooked.join(' and ')} taken as it is there)`;
    return `${path} is changed${note}:\n${regions(text, ranges)}`;
  });
});

export const write = operation({
  summary:
    'Write a file whole, or add to its end. One that is there must have been read whole before, as it is now; to change parts of it, edit is ' +
    'shorter. A long file can be written in parts: the first without append, the others with it.',
  scope: 'operate',
  in: z.object({
    path: Path,
    text: Text.describe('All that shall be in it, or what is added.'),
    append: z.boolean().default(false).describe('Whether the text is added to the end.'),
  }),
  out: Told,
  tool: 'write',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: ADDS,
}).run(async (context, { path, text, append }) => {
  const { branch } = await ownWork(context);
  let was = 'written';
  let lines = 0;
  const to: FileEdit['to'] = (before) => {
    if (before && !append && digestOf(before) !== digestOf(text))
      requireSeen(context, context.caller.name, branch, safePath(path), before);
    was = append && before ? 'added to' : before ? 'written anew' : 'made';
    const whole = append && before ? requireText(path, before) + text : text;
    lines = whole.split('\n').length - (whole.endsWith('\n') ? 1 : 0);
    return whole;
  };
  return changed(context, [{ path, to }], () => `${path} is ${was}; it has ${lines} lines.`);
});

export const patch = operation({
  summary:
    'Change several files at once by a patch: either the form of diff and git, or the one that begins with "*** Begin Patch". Files can be ' +
    'made, changed, moved and deleted. All of it is done, or nothing.',
  scope: 'operate',
  in: z.object({ patch: Text.min(1).describe('The patch.') }),
  out: Told,
  tool: 'patch',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: ENDS,
}).run(async (context, { patch: text }) => {
  const parsed = parsePatch(text);
  if ('fault' in parsed) throw refusal('reject.text_not_found', parsed.fault);
  const told: string[] = [];
  const edits = parsed.files.flatMap((file) => editsOf(file, told));
  return changed(context, edits, () => told.join('\n\n'));
});

/** Edits of one file of a patch. A file that is moved is read where it was, and written where it shall be. */
function editsOf(file: FilePatch, told: string[]): FileEdit[] {
  const { path } = file;
  switch (file.kind) {
    case 'add':
      return [
        {
          path,
          to: (before) => {
            if (before)
              throw refusal('reject.text_not_found', `${path} is there already; patch it with Update File`, { path });
            told.push(`${path} is made.`);
            return file.text;
          },
        },
      ];
    case 'delete':
      return [
        {
          path,
          to: (before) => {
            requireThere(path, before, 'any');
            told.push(`${path} is deleted.`);
            return null;
          },
        },
      ];
    case 'update': {
      const { to, hunks } = file;
      let text = '';
      const from = {
        path,
        to: (before: Buffer | undefined) => {
          const outcome = patchText(requireThere(path, before), hunks);
          if ('fault' in outcome) throw refusal('reject.text_not_found', `${path}: ${outcome.fault}`, { path });
          text = outcome.text;
          const shown = outcome.ranges.length === 0 ? '' : `\n${regions(text, outcome.ranges)}`;
          told.push(`${path} is ${to === undefined ? 'changed' : `moved to ${to}`}${shown}`);
          return to === undefined ? text : null;
        },
      };
      return to === undefined ? [from] : [from, { path: to, to: (before) => notThereYet(to, before, () => text) }];
    }
  }
}

export const move = operation({
  summary: 'Move or rename a file.',
  scope: 'operate',
  in: z.object({ from: Path.describe('File as it is called now.'), to: Path.describe('Its new path.') }),
  out: Told,
  tool: 'move',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: ENDS,
}).run(async (context, { from, to }) => {
  let text = '';
  const edits: FileEdit[] = [
    {
      path: from,
      to: (before) => {
        text = requireThere(from, before);
        return null;
      },
    },
    { path: to, to: (before) => notThereYet(to, before, () => text) },
  ];
  return changed(context, edits, () => `${from} is ${to} now. Whoever names it elsewhere is not changed: grep for it.`);
});

export const remove = operation({
  summary: 'Delete a file.',
  scope: 'operate',
  in: z.object({ path: Path }),
  out: Told,
  tool: 'delete',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: SETS,
}).run(async (context, { path }) => {
  const to: FileEdit['to'] = (before) => {
    requireThere(path, before, 'any');
    return null;
  };
  return changed(context, [{ path, to }], () => `${path} is deleted.`);
});

/** Makes the edits, and answers with what they have come to. */
async function changed(context: Context, edits: readonly FileEdit[], told: () => string): Promise<{ text: string }> {
  const { branch, unit }: OwnWork = await ownWork(context);
  const { caller, repeatable } = context;
  const edited = await editFiles(context, { branch, unit, who: caller.name, call: repeatable?.call }, edits);
  if ('heldBy' in edited) {
    const { path, heldBy } = edited;
    return { text: `Nothing was changed: ${heldBy} is changing ${path}. Stop here; you go on when it is free.` };
  }
  return context.answer((change) => {
    noted(edited, change);
    return { text: told() };
  });
}

function noted({ note }: EditedFiles, change: Parameters<EditedFiles['note']>[0]): void {
  note(change);
}

function requireThere(path: string, before: Buffer | undefined, kind: 'text' | 'any' = 'text'): string {
  if (before === undefined)
    throw refusal('reject.file_not_found', `there is no file ${path}; look for it with glob`, { path });
  return kind === 'text' ? requireText(path, before) : (textOf(before) ?? '');
}

function notThereYet(path: string, before: Buffer | undefined, text: () => string): string {
  if (before)
    throw refusal('reject.wrong_state', `${path} is there already; delete it first, or name another path`, { path });
  return text();
}

/** Lines that were changed, with some around them. */
function regions(text: string, ranges: readonly LineRange[]): string {
  const lines = text.split('\n');
  const last = text.endsWith('\n') ? lines.length - 1 : lines.length;
  const shown: string[] = [];
  let left = MOST_SHOWN;
  for (const { from, to } of around(ranges, CONTEXT, last)) {
    if (left <= 0) {
      shown.push('[more places left out; view the file]');
      break;
    }
    const part = lines.slice(from - 1, Math.min(to, from - 1 + left));
    shown.push(numbered(part, from) + (from - 1 + part.length < to ? '\n[more lines left out; view the file]' : ''));
    left -= part.length;
  }
  return shown.join('\n…\n');
}
