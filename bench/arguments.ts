import { parseArgs } from 'node:util';

export interface BenchArguments {
  readonly bench: string | undefined;
  readonly rivals: boolean;
  readonly libs: readonly string[];
  readonly traces: readonly string[];
  readonly edits: number | undefined;
  readonly repeat: number;
  readonly json: boolean;
  readonly save: boolean;
  /** Asks the registry which rivals have newer versions than those that are pinned. */
  readonly newest: boolean;
  /** Note about the machine in the saved run, such as `shared`. */
  readonly note: string;
}

export function parseArguments(args: readonly string[]): BenchArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rivals: { type: 'boolean', default: false },
      lib: { type: 'string', multiple: true, default: [] },
      trace: { type: 'string', multiple: true, default: [] },
      edits: { type: 'string' },
      repeat: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
      newest: { type: 'boolean', default: false },
      note: { type: 'string', default: '' },
    },
  });
  if (positionals.length > 1)
    throw new Error(`One bench at a time: ${positionals.join(', ')} are ${positionals.length}.`);
  return {
    bench: positionals[0],
    rivals: values.rivals,
    libs: separate(values.lib),
    traces: separate(values.trace),
    edits: values.edits === undefined ? undefined : atLeastOne('--edits', values.edits),
    repeat: atLeastOne('--repeat', values.repeat),
    json: values.json,
    save: values.save,
    newest: values.newest,
    note: values.note,
  };
}

function separate(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).filter((value) => value !== '');
}

function atLeastOne(flag: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`${flag} takes a whole number from 1 on, not ${text}.`);
  return number;
}
