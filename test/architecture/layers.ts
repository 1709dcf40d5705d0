/**
 * Table of layers: who may import what, as data. A new folder in core or studio has no row and fails until it gets one: a new layer is
 * a decision. Files of one layer import each other freely unless `siblings` says otherwise.
 */
export interface Layer {
  /** Name: `core/room` is every file under core/src/room; `core/index.ts` is the file core/src/index.ts. */
  readonly layer: string;
  /** Layers it may import, files at the root included. */
  readonly values: readonly string[];
  /** Layers of which it may import types, on top of `values`. */
  readonly types?: readonly string[];
  /** Rule for imports inside the layer; absent means that all are allowed. */
  readonly siblings?: (from: string, to: string) => boolean;
  /** Packages that its package.json allows and that are not for this layer. */
  readonly not?: readonly string[];
  /** Node built-ins it may import; absent means none. */
  readonly builtins?: 'all' | readonly string[];
  /** Files of the layers above that it may not import all the same. */
  readonly notFiles?: RegExp;
  /** Package -> the only names of it whose values may be imported. Types are free. */
  readonly onlyNames?: Readonly<Record<string, readonly string[]>>;
}

const core = (...names: string[]): string[] => names.map((name) => `core/${name}`);
const studio = (...names: string[]): string[] => names.map((name) => `studio/${name}`);

const foundations = core('codec', 'graph', 'access', 'crdt', 'reconcile', 'ports', 'rejection.ts');
const features = core('query', 'archive', 'topology');
const everyLayer = [
  ...foundations,
  ...core('room', 'wire', 'host', 'session', 'commands', 'client', 'adapters', 'testing'),
  ...features,
];

/** Packages that only adapters use: nobody else opens a database. */
const noStore = ['level'];

const coreFolders: readonly Layer[] = [
  { layer: 'core/rejection.ts', values: [] },
  { layer: 'core/codec', values: [] },
  { layer: 'core/graph', values: core('codec', 'rejection.ts') },
  { layer: 'core/access', values: core('codec', 'rejection.ts'), types: core('ports') },
  { layer: 'core/crdt', values: core('codec', 'graph', 'rejection.ts') },
  { layer: 'core/reconcile', values: core('codec', 'graph', 'crdt', 'rejection.ts') },
  { layer: 'core/ports', values: [], types: core('codec', 'graph') },
  { layer: 'core/room', values: foundations },
  { layer: 'core/query', values: [...foundations, 'core/room'] },
  { layer: 'core/archive', values: [...foundations, 'core/room'] },
  { layer: 'core/topology', values: [...foundations, 'core/room'] },
  { layer: 'core/wire', values: core('access', 'codec', 'rejection.ts'), types: core('graph') },
  // The command table reaches host and session as a value; in their imports it is only a type.
  { layer: 'core/host', values: [...foundations, ...core('room', 'wire'), ...features], types: core('commands') },
  {
    layer: 'core/session',
    values: core('host', 'wire', 'access', 'codec', 'graph', 'reconcile', 'ports', 'rejection.ts'),
    types: core('commands', 'room'),
  },
  {
    layer: 'core/commands',
    values: core('host', 'wire', 'codec', 'access', 'ports', 'room', 'rejection.ts'),
    types: [...foundations, ...features, ...core('session')],
    siblings: (from, to) => from.endsWith('/table.ts') || to.endsWith('/define.ts'),
  },
  { layer: 'core/client', values: [...foundations, ...core('room', 'wire')], types: core('commands') },
  { layer: 'core/adapters', values: core('ports', 'codec', 'rejection.ts'), types: core('graph'), builtins: 'all' },
  { layer: 'core/testing', values: [...everyLayer, ...core('engine.ts', 'peer.ts')], builtins: 'all' },
];

const coreLayers = coreFolders.map((row) => (row.builtins === 'all' ? row : { ...row, not: noStore }));

/** Files at the root of core/src: what the package exports, and what binds the layers together for it. */
const coreRoots: readonly Layer[] = [
  { layer: 'core/engine.ts', values: everyLayer.filter((layer) => layer !== 'core/testing'), not: noStore },
  // A peer loads nothing of the host.
  { layer: 'core/peer.ts', values: [...foundations, ...core('room', 'client', 'wire', 'adapters')], not: noStore },
  {
    layer: 'core/index.ts',
    values: [...everyLayer.filter((layer) => layer !== 'core/testing'), ...core('engine.ts', 'peer.ts')],
    not: noStore,
  },
  { layer: 'core/memory.ts', values: core('adapters', 'ports'), not: noStore },
  { layer: 'core/level.ts', values: core('adapters', 'ports') },
  { layer: 'core/client.ts', values: [...foundations, ...core('client', 'wire', 'peer.ts')], not: noStore },
  { layer: 'core/testing.ts', values: everyLayer, builtins: 'all' },
];

const doorPackages = [
  'hono',
  '@hono/node-server',
  '@modelcontextprotocol/hono',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/sdk',
];

const studioLayers: readonly Layer[] = [
  { layer: 'studio/reasons.ts', values: studio('reasons'), not: doorPackages },
  { layer: 'studio/reasons', values: [], not: doorPackages },
  { layer: 'studio/version.ts', values: [] },
  { layer: 'studio/log.ts', values: [], not: doorPackages, builtins: 'all' },
  { layer: 'studio/tokens.ts', values: studio('reasons.ts', 'log.ts'), not: doorPackages, builtins: 'all' },
  {
    layer: 'studio/aggregates',
    values: studio('reasons.ts'),
    // An aggregate knows itself and what an aggregate is, never another one.
    siblings: (from, to) => aggregateOf(to) === undefined || aggregateOf(from) === aggregateOf(to),
    not: doorPackages,
    // A hash is pure; the rest of node:crypto is chance.
    builtins: ['node:crypto'],
    onlyNames: { '@weft/core': ['Rejection'], 'node:crypto': ['createHash'] },
  },
  {
    layer: 'studio/ledger',
    values: studio('reasons.ts', 'log.ts'),
    types: studio('aggregates'),
    not: doorPackages,
    builtins: 'all',
  },
  {
    layer: 'studio/views',
    values: studio('ledger', 'aggregates', 'reasons.ts', 'log.ts'),
    not: doorPackages,
  },
  // What touches several aggregates at once, inside one change.
  {
    layer: 'studio/flows',
    values: studio('aggregates', 'reasons.ts', 'log.ts'),
    types: studio('ledger', 'views'),
    not: doorPackages,
  },
  // What touches the record and git together.
  {
    layer: 'studio/branches',
    values: studio('flows', 'aggregates', 'workspace', 'reasons.ts', 'log.ts'),
    types: studio('ledger', 'views'),
    notFiles: /^studio\/src\/workspace\/(node|run)-/,
    not: doorPackages,
  },
  {
    layer: 'studio/knowledge',
    values: studio('aggregates', 'views', 'flows', 'reasons.ts'),
    types: studio('ledger', 'workspace'),
    not: doorPackages,
    // A hash is pure; the rest of node:crypto is chance.
    builtins: ['node:crypto'],
    onlyNames: { 'node:crypto': ['createHash'] },
  },
  // What touches the record and programs together.
  {
    layer: 'studio/execution',
    values: studio('branches', 'flows', 'knowledge', 'views', 'aggregates', 'workspace', 'reasons.ts', 'log.ts'),
    types: studio('ledger'),
    notFiles: /^studio\/src\/workspace\/(node|run)-/,
    not: doorPackages,
  },
  {
    layer: 'studio/projections',
    values: studio('aggregates', 'views', 'flows', 'knowledge', 'reasons.ts'),
    types: studio('ledger'),
    not: doorPackages,
  },
  {
    // What follows from what is recorded, without anybody asking for it.
    layer: 'studio/reactors',
    values: studio('branches', 'flows', 'knowledge', 'aggregates', 'workspace', 'reasons.ts', 'log.ts'),
    types: studio('ledger', 'views'),
    notFiles: /^studio\/src\/workspace\/(node|run)-/,
    not: doorPackages,
  },
  { layer: 'studio/workspace', values: studio('reasons.ts', 'log.ts'), not: doorPackages, builtins: 'all' },
  {
    layer: 'studio/agents',
    values: studio('flows', 'knowledge', 'aggregates', 'workspace', 'reasons.ts', 'log.ts'),
    types: studio('ledger', 'views', 'operations'),
    not: doorPackages,
    builtins: 'all',
  },
  {
    layer: 'studio/operations',
    values: [
      ...studio(
        'ledger',
        'views',
        'aggregates',
        'flows',
        'branches',
        'execution',
        'knowledge',
        'projections',
        'workspace',
      ),
      ...studio('reasons.ts', 'log.ts'),
    ],
    types: studio('agents', 'reactors'),
    // Disk and processes come in as ports.
    notFiles: /^studio\/src\/workspace\/(node|run)-/,
    not: doorPackages,
  },
  {
    layer: 'studio/doors',
    values: studio('operations', 'reasons.ts', 'log.ts', 'version.ts'),
    types: studio('ledger', 'views', 'reasons', 'tokens.ts'),
    builtins: 'all',
  },
];

/** Layer of the demonstration: a program of its own, which a command of the command line runs. */
const studioDemo: Layer = { layer: 'studio/demo', values: ['*'], builtins: 'all' };

/** Files at the root of studio/src that put the studio together: free to import all of it, imported by none of it. */
const studioPrograms: readonly Layer[] = ['index.ts', 'testing.ts', 'config.ts', 'runtime.ts', 'studio.ts'].map(
  (file) => ({
    layer: `studio/${file}`,
    values: ['*'],
    builtins: 'all',
  }),
);

export const layers: ReadonlyMap<string, Layer> = new Map(
  [...coreLayers, ...coreRoots, ...studioLayers, studioDemo, ...studioPrograms].map((row) => [row.layer, row]),
);

/** Workspace packages that each part of the tree may import by name. */
export const reachable: Readonly<Record<string, readonly string[]>> = {
  core: [],
  server: ['@weft/core'],
  studio: ['@weft/core'],
  cli: ['@weft/core', '@weft/server', '@weft/studio'],
  test: ['@weft/core', '@weft/server', '@weft/studio', 'weft'],
  bench: ['@weft/core', '@weft/server', '@weft/studio', 'weft'],
  examples: ['@weft/core', '@weft/server', '@weft/studio', 'weft'],
};

export const workspacePackages: readonly string[] = ['@weft/core', '@weft/server', '@weft/studio', 'weft'];

/** Libraries that speak to a vendor of models, and the only folder that may import them. */
export const modelLibraries: readonly string[] = ['@anthropic-ai/sdk', 'openai', '@agentclientprotocol/sdk'];
export const modelProviders = 'studio/src/agents/providers/';

/** Libraries that open sockets. Among the packages only the server imports them. */
export const socketLibraries: readonly string[] = ['uWebSockets.js', 'ws'];

function aggregateOf(path: string): string | undefined {
  return /^studio\/src\/aggregates\/([^/]+)\//.exec(path)?.[1];
}
