/** Text of others: agents, models, files, people. It is always text, never markup, and what would hide or turn it is made visible. */
import type { ComponentChildren } from 'preact';

/** Characters that turn the direction of text, take no room, or control a terminal. Line breaks and tabs are themselves. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
/** Colours of a terminal say nothing here. */
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** Text in which nothing is hidden. */
export function visible(text: string): string {
  return text
    .replace(ANSI, '')
    .replace(/\r\n/g, '\n')
    .replace(HIDDEN, (character) => `⟨${character.charCodeAt(0).toString(16).padStart(4, '0')}⟩`);
}

/** First line of a text, cut where it would be long. */
export function titleOf(text: string, most = 120): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return visible(line.length > most ? `${line.slice(0, most - 1)}…` : line);
}

/** A name without what follows the first eight digits of its id. */
export function shortName(name: string): string {
  return titleOf(name.replace(/(-[0-9a-f]{8})[0-9a-f]{8,}$/, '$1'), 60);
}

/** Text whose long ids are cut to their first eight digits, for a line that says what something is about. */
export function shortIds(text: string): string {
  return text.replace(/\b((?:[a-z]+-)?[0-9a-f]{8})[0-9a-f]{8,}\b/g, '$1');
}

export function Words({ text }: { readonly text: string }) {
  return <span dir="auto">{visible(text)}</span>;
}

/** A longer text, with its lines, of which the first show until one asks for all. */
export function Prose({ text, lines = 12 }: { readonly text: string; readonly lines?: number }) {
  const all = visible(text.trimEnd());
  const rows = all.split('\n');
  if (rows.length <= lines + 2 && all.length < 2_000)
    return (
      <p class="prose" dir="auto">
        {all}
      </p>
    );
  const head = rows.slice(0, lines).join('\n').slice(0, 1_600);
  return (
    <details class="more">
      <summary>
        <span class="prose" dir="auto">
          {head}
        </span>{' '}
        <span class="link">show all</span>
        <span class="link less">show less</span>
      </summary>
      <p class="prose" dir="auto">
        {all}
      </p>
    </details>
  );
}

/** Output and code, in which columns matter. */
export function Code({
  text,
  lines = 40,
  label,
}: {
  readonly text: string;
  readonly lines?: number;
  readonly label: string;
}) {
  const all = visible(text.trimEnd()).split('\n');
  const cut = all.length > lines;
  const shown = (part: readonly string[]): ComponentChildren => (
    <pre tabIndex={0} aria-label={label}>
      {part.join('\n')}
    </pre>
  );
  if (!cut) return shown(all);
  return (
    <>
      {shown(all.slice(-lines))}
      <details>
        <summary>{all.length - lines} lines before these</summary>
        {shown(all.slice(0, -lines))}
      </details>
    </>
  );
}
