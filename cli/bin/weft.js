#!/usr/bin/env node
// Starts the program, or says what it needs. In the words of Node 14, which reads nothing newer: the program itself is loaded after the look at the version.
var parts = process.versions.node.split('.').map(Number);
var isNewEnough = parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19);
if (isNewEnough) {
  import('../dist/main.js').catch(function (error) {
    // Whoever has few descriptors left hears of files, and of packages, that are there.
    console.error(
      'weft: its files cannot be read: ' +
        error.message +
        '; if many are open, allow more with ulimit -n 4096, or else install it again',
    );
    process.exitCode = 1;
  });
} else {
  console.error(
    'weft: Node 20.19 or newer is needed, and this is ' +
      process.versions.node +
      ': install one from https://nodejs.org',
  );
  process.exitCode = 2;
}
