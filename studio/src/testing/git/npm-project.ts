/** A `package.json` with these scripts: a project that is built and tested by what every machine with Node has. */
export function npmProject(scripts: Readonly<Record<string, string>>, more: object = {}): string {
  return `${JSON.stringify({ private: true, scripts, ...more })}\n`;
}
