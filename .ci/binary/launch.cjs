// What the executable does first: puts the program and its native parts into a folder that only its user can read,
// runs it from there, and takes the folder away at the end.
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { getRawAsset } = require('node:sea');

const folder = mkdtempSync(join(tmpdir(), 'weft-program-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const name of ['weft.mjs', 'start.cjs', 'uws.node', 'classic-level.node', 'rg'])
  writeFileSync(join(folder, name), new Uint8Array(getRawAsset(name)), { mode: 0o700 });
// From a file, because what is inside the executable cannot import modules.
createRequire(join(folder, 'start.cjs'))('./start.cjs');
