/** What the studio offers, by name. The expected lists are written here, not derived. */
import { type ToolProfile, openApiDocument, operationTable, toolList } from '@weft/studio';
import { expect, it } from 'vitest';

/** What the contract does not name. */
const ADDED_ROUTES = [
  'DELETE /studio/tokens/{tokenId}',
  'DELETE /studio/webhooks/{webhookId}',
  'GET /studio/events',
  'GET /studio/tokens',
  'GET /studio/webhooks',
  'GET /studio/webhooks/{webhookId}',
  'POST /studio/tokens',
  'POST /studio/webhooks',
  'PUT /studio/webhooks/{webhookId}',
];

it('REST routes', () => {
  const { paths } = openApiDocument(operationTable) as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const named = [
    'GET /studio/event-types',
    'GET /studio/events/{eventId}',
    'GET /studio/repositories',
    'GET /studio/repositories/{repositoryId}/files',
    'GET /studio/sessions/{sessionId}/events',
    'GET /studio/workunits',
    'GET /studio/workunits/{workUnitId}',
    'GET /studio/workunits/{workUnitId}/children',
    'POST /studio/repositories',
    'POST /studio/stop-all',
    'POST /studio/workunits',
    'POST /studio/workunits/{workUnitId}/cancel',
  ];
  expect(routes.sort()).toEqual([...named, ...ADDED_ROUTES].sort());
});

it('internal and external tools', () => {
  const names = (profile: ToolProfile): string[] => toolList(operationTable, profile).map(({ name }) => name);
  expect(names('internal').sort()).toEqual([
    'svc_v1_repository_list',
    'svc_v1_repository_list_files',
    'svc_v1_repository_register',
    'svc_v1_workunit_create',
    'svc_v1_workunit_dependents',
    'svc_v1_workunit_get',
    'svc_v1_workunit_list',
    'svc_v1_workunit_update',
  ]);
  expect(names('external').sort()).toEqual(['svcs_v1_repo_list', 'svcs_v1_repo_register']);
});
