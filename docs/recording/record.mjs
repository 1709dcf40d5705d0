// The demonstration as a picture for README.md.
//   node docs/recording/record.mjs           runs `weft demo`, keeps what it says and when, and draws it
//   node docs/recording/record.mjs --draw    draws what was kept
//   node docs/recording/record.mjs --check   fails when the picture is not the one that would be drawn
// What is kept is an asciicast (version 2), which terminal players read: a header, then [seconds, "o", text] lines.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawRecording } from './draw-recording.mjs';

const kept = fileURLToPath(new URL('demonstration.cast', import.meta.url));
const picture = fileURLToPath(new URL('../demonstration.svg', import.meta.url));
const weft = fileURLToPath(new URL('../../cli/bin/weft.js', import.meta.url));
const COMMAND = 'npx weft demo';
const TITLE = 'weft demo: a goal, from its statement to its end';
/** Stands for the folder of that one run. */
const SHOWN_FOLDER = 'demo';

const [mode] = process.argv.slice(2);
if (mode === undefined) writeFileSync(kept, await record());
const drawn = drawRecording(readRecording());
if (mode !== '--check') writeFileSync(picture, drawn);
else if (readFileSync(picture, 'utf8') !== drawn) {
  console.error(
    'docs/demonstration.svg is not what docs/recording/demonstration.cast draws: run `npm run docs:recording`.',
  );
  process.exitCode = 1;
}

/** Runs the real thing in a passing folder. */
function record() {
  const folder = mkdtempSync(join(tmpdir(), 'weft-recording-'));
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, [weft, 'demo', '--folder', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const events = [[0, 'o', `$ ${COMMAND}\r\n`]];
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) events.push([seconds, 'o', `${line.replaceAll(folder, SHOWN_FOLDER)}\r\n`]);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      if (code !== 0) return reject(new Error(`weft demo ended with ${code}`));
      const width = Math.max(...events.map(([, , text]) => text.length));
      const header = { version: 2, width, height: events.length, title: TITLE };
      resolve([header, ...events].map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
  });
}

function readRecording() {
  const [header, ...events] = readFileSync(kept, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { title: header.title, lines: events.map(([seconds, , text]) => ({ seconds, text: text.trimEnd() })) };
}
