// What stands under docs/generated: every page is made from a table of the built packages.
import { operationTable, openApiDocument, renderStudioDocs, toolList } from '@weft/studio';
import { renderConfigDocs } from '@weft/server';
import { cliCommands, renderCliDocs } from 'weft';
import { renderErrors, renderHostCommands, renderMetrics, renderProtocol } from './render-protocol.mjs';

export async function generate() {
  return {
    'protocol.md': renderProtocol(),
    'host-core.md': renderHostCommands(),
    'errors.md': renderErrors(),
    'metrics.md': renderMetrics(),
    'cli.md': renderCliDocs(cliCommands),
    'config.md': renderConfigDocs(),
    'studio.md': renderStudioDocs(operationTable),
    'openapi.json': json(openApiDocument(operationTable)),
    'tools.json': json({
      external: toolList(operationTable, 'external'),
      internal: toolList(operationTable, 'internal'),
    }),
  };
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
