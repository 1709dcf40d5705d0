/** Flags that more than one command takes. */
import { type Config, type Option, type Sources, defaultOf, optionTable, readConfig, showConfig } from '@weft/server';
import { type Flag, type FlagTable, type Terminal, UsageError } from './define.js';

export const storeFlag = {
  summary: 'Data folder, or `memory` to keep nothing.',
  value: 'folder|memory',
  default: './weft-data',
} as const;

export const configFlag = {
  summary: 'JSON file with options, called like the flags; flags and WEFT_… variables count before it.',
  value: 'file',
} as const;

/** Every option of the room server that is no secret, and where more of them are. */
export const serverFlags: FlagTable = {
  ...Object.fromEntries(
    [...optionTable].filter(([, { secret }]) => !secret).map(([name, option]) => [name, flagOf(option)]),
  ),
  config: configFlag,
};

/** For commands about a data folder, whether a server has it open or not. */
export const folderFlags = {
  store: { summary: 'Data folder.', value: 'folder', initially: './weft-data' },
  config: configFlag,
  json: { summary: 'Print JSON, for programs.' },
} as const;

export const printConfigFlag = { summary: 'Print the options that hold, as such a file, and end.' } as const;

export const webhookHostsFlag = {
  summary: 'Hosts that webhooks may name, over https, with commas between them; only this machine without.',
  value: 'a,b',
  initially: '$WEFT_WEBHOOK_HOSTS',
} as const;

export const sandboxFlag = {
  summary: 'Run programs of workspaces in bubblewrap: `offline`, or with the `network`. As this user without.',
  value: 'offline|network',
  initially: '$WEFT_SANDBOX',
} as const;

export const studioListenFlag = {
  summary: 'Address of the studio; port 0 takes a free one.',
  value: 'host:port',
  initially: '$WEFT_STUDIO_LISTEN, or 127.0.0.1:7880',
} as const;

export const archiveFlags = {
  ...folderFlags,
  'archive-root': { summary: 'Folder for archives, where no server runs; one that does has its own.', value: 'folder' },
  'archive-trust': { summary: 'Public keys of servers whose archives are taken beside our own.', value: 'hex,hex' },
} as const;

/** Variables that say nothing to the room server. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['WEFT_STUDIO_LISTEN', 'WEFT_WEBHOOK_HOSTS', 'WEFT_SANDBOX', 'WEFT_TOKEN', 'WEFT_MODELS', 'WEFT_MODEL_URL'],
]);

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
  const ofServer = Object.entries(environment).filter(([name]) => !OTHERS.has(name));
  return {
    flags: new Map(given),
    environment: Object.fromEntries(ofServer),
    file: typeof file === 'string' ? file : undefined,
  };
}

/** Where the studio listens, and whom its webhooks may name: no options of the room server. */
export function studioOptions(listen: string | undefined, webhookHosts: string | undefined, terminal: Terminal) {
  const { WEFT_STUDIO_LISTEN, WEFT_WEBHOOK_HOSTS } = terminal.environment;
  return {
    listen: listen ?? WEFT_STUDIO_LISTEN ?? '127.0.0.1:7880',
    webhookHosts: webhookHosts ?? WEFT_WEBHOOK_HOSTS ?? '',
  };
}

/** What programs of workspaces run in; undefined is no sandbox. */
export function sandboxOf(flag: string | undefined, terminal: Terminal): { readonly network: boolean } | undefined {
  const named = flag ?? terminal.environment['WEFT_SANDBOX'];
  if (named === undefined) return undefined;
  if (named !== 'offline' && named !== 'network')
    throw new UsageError(`--sandbox: ${named} is neither offline nor network`);
  return { network: named === 'network' };
}

function flagOf(option: Option): Flag {
  const initial = defaultOf(option);
  return {
    summary: option.about,
    value: option.value,
    ...(initial === undefined ? {} : { initially: String(initial) }),
  };
}
