// A recorded terminal as an animated SVG without a script: each line is hidden until its time has come. Where motion is
// not wanted, or not understood, all of it is there at once.

const FONT = { size: 14, width: 8.43, line: 20 };
const MARGIN = { side: 20, top: 52, bottom: 20 };
/** Nobody watches silence: between two lines no more than so many seconds pass. */
const LONGEST_PAUSE = 0.9;
/** Seconds between lines that came at once, so that each can be seen to come. */
const SHORTEST_PAUSE = 0.12;
const FIRST_PAUSE = 0.8;

const COLORS = { text: '#d5dbe3', prompt: '#8ab8ff', done: '#7ee2a8', quiet: '#8b95a3' };
/** A state's colour says how a unit does: at work, offered, waiting for somebody. */
const STATES = {
  Created: COLORS.quiet,
  Queued: COLORS.quiet,
  Executing: '#8ab8ff',
  Proposed: '#c7a6ff',
  Reviewing: '#c7a6ff',
  'for you': '#f0c674',
};

/** `lines`: what the terminal said, each with the second in which it came. */
export function drawRecording({ title, lines }) {
  const width = Math.ceil(MARGIN.side * 2 + Math.max(...lines.map(({ text }) => text.length)) * FONT.width);
  const height = MARGIN.top + lines.length * FONT.line + MARGIN.bottom;
  const times = showTimes(lines.map(({ seconds }) => seconds));
  const rows = lines.map(({ text }, index) => drawLine(text, MARGIN.top + (index + 1) * FONT.line, times[index]));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<style>
text { font: ${FONT.size}px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: ${COLORS.text}; white-space: pre }
@media (prefers-reduced-motion: no-preference) { g { animation-name: hidden; animation-timing-function: step-end } }
@keyframes hidden { from, to { opacity: 0 } }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#15181d"/>
${['#ff5f57', '#febc2e', '#28c840'].map((fill, index) => `<circle cx="${MARGIN.side + 4 + index * 20}" cy="22" r="6" fill="${fill}"/>`).join('')}
<text x="${width / 2}" y="27" text-anchor="middle" style="fill:${COLORS.quiet}">${escape(title)}</text>
${rows.join('\n')}
</svg>
`;
}

/** Seconds after which each line is shown: as recorded, with pauses that one likes to watch. */
function showTimes(seconds) {
  let shown = 0;
  return seconds.map((at, index) => {
    if (index === 0) return 0;
    const pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, at - seconds[index - 1]));
    shown += index === 1 ? FIRST_PAUSE : pause;
    return Number(shown.toFixed(2));
  });
}

function drawLine(text, y, time) {
  const when = time === 0 ? '' : ` style="animation-duration:${time}s"`;
  const spans = colored(text).map(([part, color]) =>
    color === COLORS.text ? escape(part) : `<tspan style="fill:${color}">${escape(part)}</tspan>`,
  );
  return `<g${when}><text x="${MARGIN.side}" y="${y}" xml:space="preserve">${spans.join('')}</text></g>`;
}

/** Parts of a line, each with its colour. */
function colored(text) {
  if (text.startsWith('$ '))
    return [
      ['$ ', COLORS.quiet],
      [text.slice(2), COLORS.prompt],
    ];
  const state = /^ {2}(for you|\w+) +/.exec(text);
  if (state?.[1] in STATES)
    return [
      [state[0], STATES[state[1]]],
      [text.slice(state[0].length), COLORS.text],
    ];
  if (text.startsWith('+') || / has landed on /.test(text)) return [[text, COLORS.done]];
  return [[text, COLORS.text]];
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
