/** The file of a scripted model: JSON lines, as docs/guide/scripts.md tells. Recordings are the same. */
import { z } from 'zod';
import { PROVIDER_FAULTS, STOPS } from '../../provider.js';
import { parseJson } from '../replies/parse-json.js';

const Result = z.strictObject({ callId: z.string(), text: z.string(), isError: z.boolean() });
const When = z.strictObject({
  role: z.string().optional(),
  unit: z.string().optional(),
  title: z.string().optional(),
  /** Text that the first message contains. */
  says: z.string().optional(),
});
const Line = z.strictObject({
  when: When.optional(),
  turn: z.int().min(0).optional(),
  text: z.string().optional(),
  calls: z
    .array(
      z.strictObject({
        callId: z.string().optional(),
        name: z.string(),
        input: z.record(z.string(), z.unknown()).default({}),
      }),
    )
    .optional(),
  stop: z.enum(STOPS).optional(),
  cut: z.strictObject({ tool: z.string(), characters: z.number() }).optional(),
  refusal: z.string().optional(),
  usage: z
    .strictObject({
      inputTokens: z.number(),
      cachedInputTokens: z.number(),
      outputTokens: z.number(),
      cacheWriteTokens: z.number().optional(),
    })
    .optional(),
  afterMs: z.number().min(0).optional(),
  repeat: z.boolean().optional(),
  fault: z.enum(PROVIDER_FAULTS).optional(),
  retryAfterMs: z.number().min(0).optional(),
  asked: z.string().optional(),
  names: z.array(z.string()).optional(),
  results: z.array(Result).optional(),
});
const Head = z.strictObject({ script: z.literal(1) });

export const SCRIPT_HEAD: z.infer<typeof Head> = { script: 1 };
export type When = z.infer<typeof When>;
export type WrittenLine = z.input<typeof Line>;
export interface ScriptLine extends z.infer<typeof Line> {
  /** Condition; default: that of the line before. */
  readonly when: When;
}
export type Script = readonly ScriptLine[];

/** Parses a script; errors name the line. A truncated last line of a recording is ignored. */
export function readScript(text: string): Script {
  const rows = text.split('\n').map((row) => row.trim());
  const isCut = rows.at(-1) !== '' && parseJson(rows.at(-1) ?? '') === undefined;
  const numbered = (isCut ? rows.slice(0, -1) : rows).map((row, index) => ({ row, number: index + 1 }));
  const [head, ...lines] = numbered.filter(({ row }) => row !== '' && !row.startsWith('//'));
  if (!head || !Head.safeParse(parseJson(head.row)).success)
    throw new Error(`a script begins with ${JSON.stringify(SCRIPT_HEAD)}`);
  let when: When = {};
  return lines.map(({ row, number }) => {
    const line = Line.safeParse(parseJson(row));
    if (!line.success) throw new Error(`line ${number} of the script: ${z.prettifyError(line.error)}`);
    when = line.data.when ?? when;
    return { ...line.data, when };
  });
}
