/** `@weft/studio-client` says what the studio says: its operations are those of the OpenAPI document, and all shapes are offered. What the command calls is held to them too. */
import { readFile } from 'node:fs/promises';
import { TOKENS_FILE, commandCall, openApiDocument, operationTable } from '@weft/studio';
import { ROUTES } from '@weft/studio-client';
import { expect, it } from 'vitest';
import { renderCalls, renderStudioClient } from '../../.ci/studio-client.mjs';

const read = (file: string): Promise<string> =>
  readFile(new URL(`../../client/studio/src/${file}`, import.meta.url), 'utf8');

it('its operations are generated from the document', async () => {
  expect(await read('operations.ts')).toBe(await renderStudioClient(openApiDocument(operationTable)));
  const routed = operationTable.filter(({ rest }) => rest !== undefined).map(({ id }) => id);
  expect(Object.keys(ROUTES).sort()).toEqual(routed.sort());
});

it('what the command calls is generated from the operations', async () => {
  const calls = await readFile(new URL('../../cli/src/studio/calls.ts', import.meta.url), 'utf8');
  expect(calls).toBe(await renderCalls(operationTable, { callOf: commandCall, tokensFile: TOKENS_FILE }));
});

it('every shape of the document has its type among the public names', async () => {
  expect(await read('index.ts')).toContain("export type * from './operations.js';");
});
