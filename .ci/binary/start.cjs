import('./weft.mjs').catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
