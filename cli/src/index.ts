/** The command line as a library: run it in process, or render its documentation. */
export { run } from './run.js';
export type { CliCommand, CliEntry, Flag, Terminal } from './syntax/define.js';
export { cliTable, loadCommands } from './table.js';
export { renderCliDocs } from './syntax/help.js';
