// The picture of README.md, of what the terminals showed when its lines were typed.
//   npm run docs:recording                 types them anew, keeps what was shown and when, and draws it
//   node docs/recording/draw.mjs           draws what was kept
//   node docs/recording/draw.mjs --check   fails when the picture is not the one that would be drawn
// What is kept is an asciicast (version 2), which terminal players read: a header, then [seconds, "o", text] lines.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawRecording } from './draw-recording.mjs';

const kept = fileURLToPath(new URL('first-goal.cast', import.meta.url));
const picture = fileURLToPath(new URL('../first-goal.svg', import.meta.url));

const [mode] = process.argv.slice(2);
const drawn = drawRecording(readRecording());
if (mode !== '--check') writeFileSync(picture, drawn);
else if (readFileSync(picture, 'utf8') !== drawn) {
  console.error('docs/first-goal.svg is not what docs/recording/first-goal.cast draws: run `npm run docs:recording`.');
  process.exitCode = 1;
}

function readRecording() {
  const [header, ...events] = readFileSync(kept, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { title: header.title, lines: events.map(([seconds, , text]) => ({ seconds, text: text.trimEnd() })) };
}
