#!/usr/bin/env node
// Starts the program, or says what it needs. In the words of Node 14, which reads nothing newer: the program itself is loaded after the look at the version.
var parts = process.versions.node.split('.').map(Number);
var isNewEnough = parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19);
if (isNewEnough) {
  import('../dist/main.js');
} else {
  console.error(
    'weft: Node 20.19 or newer is needed, and this is ' +
      process.versions.node +
      ': install one from https://nodejs.org',
  );
  process.exitCode = 2;
}
