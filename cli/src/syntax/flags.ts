/** Flags that more than one command takes. */
import { type Config, type Option, type Sources, defaultOf, optionTable, readConfig, showConfig } from '@weft/server';
import type { Flag, FlagTable, Terminal } from './define.js';
import { studioVariables } from '../serving/studio-flags.js';

export const configFlag = {
  summary: 'JSON file with options, called like the flags; flags and WEFT_… variables count before it.',
  value: 'file',
} as const;

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

export const jsonFlag = { summary: 'Print JSON, for programs.' } as const;

/** Flags of commands on a data folder, whether a server has it open or not. */
export const folderFlags = {
  store: { summary: 'Data folder.', value: 'folder', initially: './weft-data' },
  config: configFlag,
  json: jsonFlag,
} as const;

export const printConfigFlag = { summary: 'Print the options that hold, as such a file, and end.' } as const;

export const archiveFlags = {
  ...folderFlags,
  'archive-root': { summary: 'Folder for archives, where no server runs; one that does has its own.', value: 'folder' },
  'archive-trust': { summary: 'Public keys of servers whose archives are taken beside our own.', value: 'hex,hex' },
} as const;

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
