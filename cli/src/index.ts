/** The command line as a library: run it in process, or render its documentation. */
export { run } from './run.js';
export type { CliCommand, Flag, Terminal } from './define.js';
export { cliCommands } from './table.js';
export { renderCliDocs } from './help.js';
