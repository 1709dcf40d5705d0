// `npm start [-- args]`: prepare, then become `weft up [args]`. Same process, so Ctrl-C reaches weft and nothing else.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareOrExit } from './prepare.mjs';
import { root } from './workspace.mjs';

await prepareOrExit();
const main = join(root, 'cli', 'dist', 'main.js');
process.argv = [process.argv[0], main, 'up', ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
