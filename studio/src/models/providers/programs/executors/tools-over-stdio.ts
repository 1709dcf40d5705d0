/**
 * Bridge for agents that start their tool servers as programs: it speaks the Model Context Protocol over its own input and output, and
 * passes each message on to the studio's tools over HTTP. It lies in the home of the agent's program and runs where that runs, so it
 * reaches no more than the agent does; its token stands in its environment, where no other user of the machine sees it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolsOverHttp } from '../../../executor.js';

/** Program whose input and output are the tools. */
export interface ToolsOverStdio {
  readonly command: string;
  readonly args: string[];
  readonly env: { name: string; value: string }[];
}

const NAME = 'weft-tools.mjs';
const [URL_NAME, TOKEN_NAME] = ['WEFT_TOOLS_URL', 'WEFT_TOOLS_TOKEN'];

/** A tool may run for longer than any usual timeout of HTTP, so there is none; a server that is gone closes its connections. */
const SCRIPT = String.raw`
import { request } from 'node:http';
import { createInterface } from 'node:readline';

const { ${URL_NAME}: url, ${TOKEN_NAME}: token } = process.env;
const MOST = 32 << 20;
let session, version;

/** Posts one message, and answers the messages that come for it. */
const post = (line) => new Promise((resolve, reject) => {
  const headers = {
    'authorization': 'Bearer ' + token,
    'content-type': 'application/json',
    'accept': 'application/json, text/event-stream',
    ...(session && { 'mcp-session-id': session }),
    ...(version && { 'mcp-protocol-version': version }),
  };
  const asked = request(url, { method: 'POST', headers }, (answer) => {
    session = answer.headers['mcp-session-id'] ?? session;
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (piece) => {
      text += piece;
      if (text.length > MOST) answer.destroy(new Error('the answer is too long'));
    });
    answer.on('error', reject);
    answer.on('end', () => {
      const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
      const said = isStream
        ? text.split(/\r?\n\r?\n/).map((event) => event.split(/\r?\n/).filter((one) => one.startsWith('data:')).map((one) => one.slice(5).trim()).join(''))
        : [text];
      try {
        const messages = said.filter((one) => one.trim() !== '').map((one) => JSON.parse(one));
        if (answer.statusCode >= 400 && !messages.some((one) => one.jsonrpc))
          throw new Error('it answers ' + answer.statusCode + ': ' + text.slice(0, 500));
        resolve(messages);
      } catch (error) {
        reject(error);
      }
    });
  });
  asked.on('error', reject);
  asked.end(line);
});

const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const failed = (id, message) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'The studio cannot be asked: ' + message } });

async function pass(line) {
  let id;
  try {
    const message = JSON.parse(line);
    id = message.method === undefined ? undefined : message.id;
    for (const answer of await post(line)) {
      if (message.method === 'initialize') version = answer.result?.protocolVersion ?? version;
      say(answer);
    }
  } catch (error) {
    if (id !== undefined) say(failed(id, error.message));
    else process.stderr.write('weft: ' + error.message + '\n');
  }
}

// What comes first settles how the two speak: nothing is passed on before it is answered.
let first;
for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  if (first === undefined) await (first = pass(line));
  else void pass(line);
}
`;

/** Puts the bridge into the home of a program, and says how it is started. */
export async function toolsOverStdio({ url, token }: ToolsOverHttp, home: string): Promise<ToolsOverStdio> {
  const path = join(home, NAME);
  await writeFile(path, SCRIPT, { mode: 0o600 });
  const env = [
    { name: URL_NAME, value: url },
    { name: TOKEN_NAME, value: token },
  ];
  return { command: process.execPath, args: [path], env };
}
