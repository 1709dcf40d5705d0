/** What the studio offers, by name. The expected lists are written here, not derived. */
import { type ToolProfile, openApiDocument, operationTable, toolList } from '@weft/studio';
import { expect, it } from 'vitest';

it('REST routes', () => {
  const { paths } = openApiDocument(operationTable) as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'GET /studio/repositories',
    'GET /studio/repositories/{repositoryId}/files',
    'POST /studio/repositories',
  ]);
});

it('internal and external tools', () => {
  const names = (profile: ToolProfile): string[] => toolList(operationTable, profile).map(({ name }) => name);
  expect(names('internal').sort()).toEqual([
    'svc_v1_repository_list',
    'svc_v1_repository_list_files',
    'svc_v1_repository_register',
  ]);
  expect(names('external').sort()).toEqual(['svcs_v1_repo_list', 'svcs_v1_repo_register']);
});
