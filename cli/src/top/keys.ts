/** Keys as a terminal sends them in raw mode, by their names. Sequences that are nobody's are dropped. */
export interface Key {
  /** A letter, or `up`, `enter`, `escape` and the like; `paste` for a text that was pasted. */
  readonly name: string;
  /** What it adds to a line that is being typed; empty where it adds nothing. */
  readonly text: string;
}

const NAMED: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u000c': 'ctrl-l',
  '\u0015': 'ctrl-u',
  '\u001b': 'escape',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b[H': 'home',
  '\u001bOH': 'home',
  '\u001b[1~': 'home',
  '\u001b[F': 'end',
  '\u001bOF': 'end',
  '\u001b[4~': 'end',
};

const PASTE_BEGINS = '\u001b[200~';
const PASTE_ENDS = '\u001b[201~';
/** Bound of what is kept of a paste, or of a sequence that does not end. */
const MOST = 16_384;
/** A sequence, or one letter. */
const NEXT = /^(?:\u001b\[[0-?]*[ -/]*[@-~]|\u001bO[@-~]|[\s\S])/u;
const UNFINISHED = /^\u001b\[[0-?]*[ -/]*$/;

export class Keys {
  #rest = '';

  /** Keys in what has come, with what was left of before. */
  in(piece: string): Key[] {
    let text = this.#rest + piece;
    const keys: Key[] = [];
    while (text !== '') {
      if (text.startsWith(PASTE_BEGINS)) {
        const end = text.indexOf(PASTE_ENDS);
        if (end < 0) break;
        keys.push(pasted(text.slice(PASTE_BEGINS.length, end)));
        text = text.slice(end + PASTE_ENDS.length);
        continue;
      }
      // A lone escape is the key; whatever else begins so comes in one piece, or goes on after its bracket.
      if (UNFINISHED.test(text)) break;
      const [one = ''] = NEXT.exec(text) ?? [];
      text = text.slice(one.length);
      const name = NAMED[one];
      if (name !== undefined) keys.push({ name, text: '' });
      else if (one >= ' ' && !one.startsWith('\u001b')) keys.push({ name: one, text: one });
    }
    // Its middle is lost, and never the beginning of its end.
    this.#rest = text.length <= MOST ? text : text.slice(0, MOST - PASTE_ENDS.length) + text.slice(-PASTE_ENDS.length);
    return keys;
  }
}

function pasted(text: string): Key {
  return { name: 'paste', text: text.slice(0, MOST).replaceAll(/\s*[\r\n]+\s*/g, ' ') };
}
