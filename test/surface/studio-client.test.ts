/** `@weft/studio-client` says what the studio says: its operations are those of the OpenAPI document, and all shapes are offered. */
import { readFile } from 'node:fs/promises';
import { openApiDocument, operationTable } from '@weft/studio';
import { ROUTES } from '@weft/studio-client';
import { expect, it } from 'vitest';
import { renderStudioClient } from '../../.ci/studio-client.mjs';

const read = (file: string): Promise<string> =>
  readFile(new URL(`../../client/studio/src/${file}`, import.meta.url), 'utf8');

it('its operations are generated from the document', async () => {
  expect(await read('operations.ts')).toBe(await renderStudioClient(openApiDocument(operationTable)));
  const routed = operationTable.filter(({ rest }) => rest !== undefined).map(({ id }) => id);
  expect(Object.keys(ROUTES).sort()).toEqual(routed.sort());
});

it('every shape of the document has its type among the public names', async () => {
  const shapes = [...(await read('operations.ts')).matchAll(/^export (?:type|interface) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const [, listed = ''] = /export type \{([^}]*)\} from '.\/operations.js'/.exec(await read('index.ts')) ?? [];
  expect(
    listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .sort(),
  ).toEqual(shapes.sort());
});
