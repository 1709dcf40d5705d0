// A language server for tests: `def name` in a `.word` file defines a symbol. Told `exit` or `hang`, it does that when it is asked.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StreamMessageReader, StreamMessageWriter, createMessageConnection } from 'vscode-jsonrpc/node';

const how = process.argv[2];
const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
let root = '';
connection.onRequest('initialize', ({ rootUri }) => {
  root = fileURLToPath(rootUri);
  return { capabilities: {} };
});
connection.onRequest('workspace/symbol', () => {
  if (how === 'exit') process.exit(1);
  if (how === 'hang') return new Promise(() => undefined);
  return readdirSync(root)
    .filter((name) => name.endsWith('.word'))
    .flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .flatMap((text, line) => {
          const found = /^def (\w+)/.exec(text)?.[1];
          const range = { start: { line, character: 0 }, end: { line, character: text.length } };
          return found === undefined
            ? []
            : { name: found, kind: 12, location: { uri: pathToFileURL(join(root, name)).href, range } };
        }),
    );
});
connection.onRequest('textDocument/documentSymbol', () => null);
connection.listen();
