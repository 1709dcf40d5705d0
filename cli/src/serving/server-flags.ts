/** Flags of the room server, made of its options, and the configuration that they come to. */
import { type Config, type Option, type Sources, defaultOf, optionTable, readConfig, showConfig } from '@weft/server';
import type { Flag, FlagTable, Terminal } from '../syntax/define.js';
import { configFlag } from '../syntax/flags.js';
import { studioVariables } from './studio-flags.js';

/** Flags of the room server: every option that is no secret, and the file that holds more. */
export const serverFlags: FlagTable = {
  ...Object.fromEntries(
    [...optionTable].filter(([, { secret }]) => !secret).map(([name, option]) => [name, flagOf(option)]),
  ),
  config: configFlag,
};

/** Flags of the log: what is written to stderr, and how. */
export const logFlags = {
  'log-level': flagOf(optionTable.get('log-level')!),
  'log-format': flagOf(optionTable.get('log-format')!),
} as const;

/** Flag of the collector of traces. */
export const tracesFlag = flagOf(optionTable.get('traces')!);

type Flags = Readonly<Record<string, string | boolean | undefined>>;

export function configOf(flags: Flags, terminal: Terminal): Config {
  return readConfig(sourcesOf(flags, terminal));
}

export function printConfig(flags: Flags, terminal: Terminal): void {
  terminal.out(showConfig(sourcesOf(flags, terminal)));
}

function sourcesOf(flags: Flags, { environment }: Terminal): Sources {
  const given = [...optionTable.keys()].flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const { config: file } = flags;
  const ofServer = Object.entries(environment).filter(([name]) => !studioVariables.has(name));
  return {
    flags: new Map(given),
    environment: Object.fromEntries(ofServer),
    file: typeof file === 'string' ? file : undefined,
  };
}

function flagOf(option: Option): Flag {
  const initial = defaultOf(option);
  return {
    summary: option.about,
    value: option.value,
    ...(initial === undefined ? {} : { initially: String(initial) }),
  };
}
