/** Lint output parser: complaints in the manner of compilers, `file:line:column: severity: message`. */
export interface LintResult {
  readonly ruleId: string;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

const MOST = 200;
const MOST_MESSAGE = 500;

const WHOLE = /^(?:\s*-->\s*|vet: )?(?<file>[^\s:][^:\n]*?\.[A-Za-z0-9]+):(?<line>\d+)(?::\d+)?(?::\s*(?<rest>.*))?$/;
/** eslint: the file name stands above its complaints. */
const FILE = /^(?:\/|\.\/|[\w@-]+\/|[\w-]+\.)\S*\.\w+$/;
const BELOW = /^\s+(?<line>\d+):\d+\s+(?<severity>error|warning)\s+(?<message>.*?)(?:\s{2,}(?<rule>\S+))?$/;

/** Parses complaints; `folder` is removed from file names. */
export function lintResults(output: string, folder: string): LintResult[] {
  const found: LintResult[] = [];
  let file = '';
  /** rust and its like: what is wrong comes first, then where. */
  let said: { readonly severity: 'error' | 'warning'; readonly message: string; readonly rule: string } | undefined;
  for (const line of output.split('\n')) {
    if (found.length === MOST) break;
    if (FILE.test(line.trim()) && !/:\d/.test(line)) file = line.trim();
    const below = BELOW.exec(line)?.groups;
    if (below) {
      add(file, below['line'], below['severity'] ?? '', below['message'] ?? '', below['rule'] ?? '');
      continue;
    }
    const headline = /^(error|warning)(?:\[(\w+)\])?: (.*)$/.exec(line);
    if (headline) said = { severity: severityOf(headline[1]), rule: headline[2] ?? '', message: headline[3] ?? '' };
    const whole = WHOLE.exec(line)?.groups;
    if (!whole) continue;
    const rest = /^(?:(?<severity>error|warning|note)[^:]*:\s*)?(?:(?<rule>[A-Z]+\d+)\s+)?(?<message>.*)$/.exec(
      whole['rest'] ?? '',
    );
    const message = rest?.groups?.['message'] ?? '';
    if (message === '' && said) add(whole['file'] ?? '', whole['line'], said.severity, said.message, said.rule);
    else if (message !== '' && rest?.groups?.['severity'] !== 'note')
      add(
        whole['file'] ?? '',
        whole['line'],
        rest?.groups?.['severity'] ?? 'error',
        message,
        rest?.groups?.['rule'] ?? '',
      );
    said = undefined;
  }
  return found;

  function add(at: string, line: string | undefined, severity: string, message: string, ruleId: string): void {
    const inside = at.startsWith(`${folder}/`) ? at.slice(folder.length + 1) : at.replace(/^\.\//, '');
    found.push({
      ruleId,
      severity: severityOf(severity),
      file: inside,
      message: message.slice(0, MOST_MESSAGE),
      ...(line === undefined ? {} : { line: Number(line) }),
    });
  }
}

function severityOf(text: string | undefined): 'error' | 'warning' {
  return text === 'warning' ? 'warning' : 'error';
}
