/** The index of decision records, held against the records themselves. */

/** Name of the file -> its text. */
export type Records = ReadonlyMap<string, string>;

const status =
  /^\*\*Status\.\*\* (?:Accepted\.|Proposed\.|Superseded by \[decision (\d+)\]\((\d{4}-[a-z0-9-]+\.md)\)[.:])/;

/** What is wrong with records and index: a record without a status or a line, a line that says otherwise. */
export function wrongRecords(index: string, records: Records): string[] {
  const lines = [...index.matchAll(/^- \[(\d+)\]\(([^)]+)\) (.+)$/gm)];
  const wrong = lines.flatMap(([, number = '', file = '']) => {
    if (!records.has(file)) return [`the index leads to ${file}, which is no record`];
    return Number(file.slice(0, 4)) === Number(number) ? [] : [`the index calls ${file} ${number}`];
  });
  const numbered = new Map<string, string>();
  for (const [file, text] of records) {
    const number = String(Number(file.slice(0, 4)));
    if (numbered.has(number)) wrong.push(`${file} has the number of ${numbered.get(number)}`);
    numbered.set(number, file);
    if (!text.startsWith(`# ${number}. `)) wrong.push(`${file} does not begin with its number and title`);
    const own = lines.filter(([, , listed]) => listed === file);
    if (own.length !== 1) wrong.push(`${file} stands ${own.length} times in the index`);
    wrong.push(...wrongStatus(file, text, own[0]?.[3] ?? '', records));
  }
  return wrong;
}

function wrongStatus(file: string, text: string, sentence: string, records: Records): string[] {
  const said = status.exec(text.split('\n')[2] ?? '');
  if (!said) return [`${file} has no status below its title`];
  const [, successor, successorFile = ''] = said;
  const listed = /\(Superseded by (\d+)\.\)$/.exec(sentence)?.[1];
  if (listed !== successor) return [`${file} and the index differ about who supersedes it`];
  if (successor === undefined) return [];
  return records.has(successorFile) && Number(successorFile.slice(0, 4)) === Number(successor)
    ? []
    : [`${file} is superseded by ${successorFile}, which is not record ${successor}`];
}
