// What stands under docs/generated, all of it to be read there: every page is made from a table of the built packages. The
// OpenAPI document and the lists of tools are for programs, which ask a running studio for them.
import { operationTable, renderStudioDocs } from '@weft/studio';
import { renderConfigDocs } from '@weft/server';
import { loadCommands, renderCliDocs } from '@weft/cli';
import { clientReference } from './client-reference.mjs';
import { renderErrors, renderHostCommands, renderMetrics, renderProtocol } from './render-protocol.mjs';

export async function generate() {
  return {
    'protocol.md': renderProtocol(),
    'host-core.md': renderHostCommands(),
    'errors.md': renderErrors(),
    'metrics.md': renderMetrics(),
    'cli.md': renderCliDocs(await loadCommands()),
    'config.md': renderConfigDocs(),
    ...clientReference(),
    ...renderStudioDocs(operationTable),
  };
}
