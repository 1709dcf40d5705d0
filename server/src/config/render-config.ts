/** Reference page of all options, from their table. */
import { defaultOf, optionTable, variableOf } from './options.js';

const INTRODUCTION = `# Configuration of the room server

Each option is a flag of \`weft serve\` and \`weft up\`, a variable of the environment, and a field of the JSON file that \`--config\` or
\`WEFT_CONFIG\` names. A flag counts before a variable, that before the file, that before the default. \`--print-config\` prints what holds,
in the form of such a file and without secrets, and ends. Relative paths begin where the command was started.`;

export function renderConfigDocs(): string {
  const rows = [...optionTable].map(([name, option]) => {
    const flag = option.secret ? 'no flag' : `\`--${name} <${option.value}>\``;
    const initial = defaultOf(option);
    return `| \`${name}\` | ${flag} | \`${variableOf(name)}\` | ${initial === undefined ? '' : `\`${String(initial)}\``} | ${option.about} |`;
  });
  const head = ['| option | flag | variable | default | what it is |', '|---|---|---|---|---|'];
  return [INTRODUCTION, '', ...head, ...rows, ''].join('\n');
}
