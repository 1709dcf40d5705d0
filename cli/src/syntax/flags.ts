/** Flags that more than one command takes. Nothing is loaded for them: every command waits for this. */

export const configFlag = {
  summary: 'JSON file with options, called like the flags; flags and WEFT_… variables count before it.',
  value: 'file',
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
