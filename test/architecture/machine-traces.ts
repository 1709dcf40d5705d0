import type { Files } from './source-tree.js';

// Assembled, so that this file does not find itself.
const folders = ['home', 'Users', 'root', 'workspaces', 'builds', 'mnt'];
const machinePath = new RegExp(`(?<![\\w.~/$}\\]:-])/(?:${folders.join('|')})/\\w`);
const windowsPath = new RegExp('\\b[A-Z]:\\\\{1,2}Users\\b');
const registries = ['registry.npmjs', 'registry.yarnpkg', 'npm.pkg.github', 'artifactory', 'verdaccio', 'nexus'];
const registryHost = new RegExp(`https?://[\\w.-]*(?:${registries.map((host) => host.replace('.', '\\.')).join('|')})`);

/** Names of one machine in the tree: absolute paths of a developer or a runner, hosts of a package registry. */
export function machineTraces(files: Files, thisMachine: readonly string[] = []): string[] {
  const found: string[] = [];
  for (const [path, text] of files) {
    for (const [index, line] of text.split('\n').entries()) {
      const trace = traceIn(line, thisMachine);
      if (trace !== undefined) found.push(`${path}:${index + 1} ${trace}`);
    }
  }
  return found;
}

function traceIn(line: string, thisMachine: readonly string[]): string | undefined {
  for (const pattern of [machinePath, windowsPath, registryHost]) {
    const match = pattern.exec(line)?.[0];
    if (match !== undefined) return match;
  }
  return thisMachine.find((path) => line.includes(path));
}
