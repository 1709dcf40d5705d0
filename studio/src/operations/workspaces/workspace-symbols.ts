/** Symbols on a branch: where they are defined, used and implemented. */
import { z } from 'zod';
import { branchFiles, folderFor } from '../../rules/branches/files.js';
import { refusal } from '../../reasons.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { SYMBOL_QUESTIONS } from '../../workspace/symbols/symbols.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { SETS } from '../kernel/hints.js';
import { OPENING_REFUSALS, TARGET, targetOf } from './workspace-target.js';

const asked = z.object({
  ...TARGET,
  symbol: z.string().min(1).max(500).optional().describe('Name of the symbol. Needed where no line is given.'),
  path: z.string().min(1).max(4096).optional().describe('File in which it stands. Default: looked for everywhere.'),
  line: z
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('Line of that file, from 1. Without a name and a column: all that is named in it.'),
  column: z.number().int().min(1).max(1_000_000).optional().describe('Column of that line, from 1.'),
  maxResults: z.number().int().min(1).max(1000).default(200).describe('Places to show.'),
});
const answered = z
  .object({
    locations: z
      .array(
        z.object({
          path: z.string().describe('Path of the file.'),
          line: z.number().describe('Line, from 1.'),
          column: z.number().describe('Column, from 1.'),
          symbolName: z.string().describe('What stands there.'),
          containingSymbol: z.string().optional().describe('What it is in.'),
          kind: z.string().optional().describe('What it is, where it is declared.'),
        }),
      )
      .describe('Places, by path and line.'),
    truncated: z.boolean().describe('Whether there are more.'),
    branchId: z.string().describe('Branch that was looked at.'),
  })
  .meta({ id: 'SymbolLocations', description: 'Where symbols stand.' });
const REFUSES = [
  ...['reject.language_unsupported', 'reject.language_server_failed', 'reject.program_not_started'],
  'reject.not_confined',
  ...['reject.path_outside_repository', 'reject.file_not_found', 'reject.not_a_file'],
  ...OPENING_REFUSALS,
] as const;
const QUERY = ['branchId', 'workUnitId', 'repositoryId'] as const;
/** Hint in the descriptions of all three: when to use which tool. */
const RULE =
  'Symbols are found by what knows the language, so this is right where a text search would guess; to find a text, use ' +
  'workspace_search.';

export const symbolDefinition = operation({
  summary: `Find where a symbol (function, class, type, variable) is defined. ${RULE}`,
  scope: 'read',
  in: asked,
  out: answered,
  rest: { route: 'POST /studio/workspace/symbol/definition', query: QUERY },
  tool: 'workspace_symbol_definition',
  dispatch: true,
  refuses: REFUSES,
  annotations: SETS,
}).run((context, input) => find(context, 'definition', input));

export const symbolReferences = operation({
  summary: `Find all places where a symbol is used, its definition among them. ${RULE}`,
  scope: 'read',
  in: asked,
  out: answered,
  rest: { route: 'POST /studio/workspace/symbol/references', query: QUERY },
  tool: 'workspace_symbol_references',
  dispatch: true,
  refuses: REFUSES,
  annotations: SETS,
}).run((context, input) => find(context, 'references', input));

export const symbolImplementation = operation({
  summary: `Find what implements an interface, a class or a method. ${RULE}`,
  scope: 'read',
  in: asked,
  out: answered,
  rest: { route: 'POST /studio/workspace/symbol/implementation', query: QUERY },
  tool: 'workspace_symbol_implementation',
  dispatch: true,
  refuses: REFUSES,
  annotations: SETS,
}).run((context, input) => find(context, 'implementation', input));

async function find(
  context: Context,
  question: (typeof SYMBOL_QUESTIONS)[number],
  { symbol, path: named, line, column, maxResults, ...target }: z.output<typeof asked>,
) {
  if (symbol === undefined && (named === undefined || line === undefined)) {
    const message = 'is needed, or a path and a line';
    throw refusal('reject.invalid_input', `symbol: ${message}`, [{ field: 'symbol', message }]);
  }
  const path = named === undefined ? undefined : safePath(named);
  const { branch } = await targetOf(context, target);
  const { folder } = await folderFor(context, branch);
  const files = await branchFiles(context, branch);
  if (path !== undefined && !files.includes(path))
    throw refusal('reject.file_not_found', `there is no file ${path}`, { path });
  const query = { question, symbol, path, line, column, most: maxResults };
  const { locations, truncated } = await context.programs.symbols.find(folder, files, query);
  return { locations: [...locations], truncated, branchId: branch.branchId };
}
