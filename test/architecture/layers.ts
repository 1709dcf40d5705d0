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

const foundations = core('concurrency', 'codec', 'graph', 'access', 'crdt', 'reconcile', 'ports', 'rejection.ts');
const features = core('query', 'archive', 'topology');
const everyLayer = [
  ...foundations,
  ...core('room', 'wire', 'tenancy', 'contract', 'host', 'session', 'commands', 'client', 'adapters', 'testing'),
  ...features,
];

/** Packages that only adapters use: nobody else opens a database. */
const noStore = ['level', 'pg'];

/**
 * The room by what it does. A pack goes from intake to writing, which asks admission what enters; all of them stand on the
 * state. Whoever reads or keeps knows no intake, and of writing only types: nothing else writes.
 */
const roomFolders: readonly Layer[] = [
  { layer: 'core/room/state', values: foundations },
  { layer: 'core/room/admission', values: [...foundations, ...core('room/state')] },
  { layer: 'core/room/writing', values: [...foundations, ...core('room/state', 'room/admission')] },
  { layer: 'core/room/intake', values: [...foundations, ...core('room/admission')], types: core('room/writing') },
  { layer: 'core/room/reading', values: [...foundations, ...core('room/state', 'room/admission')] },
  {
    layer: 'core/room/keeping',
    values: [...foundations, ...core('room/state', 'room/reading')],
    types: core('room/writing'),
  },
  // room.ts puts them together.
  { layer: 'core/room', values: [...foundations, ...core('room')] },
];

const coreFolders: readonly Layer[] = [
  { layer: 'core/rejection.ts', values: [] },
  { layer: 'core/concurrency', values: [] },
  { layer: 'core/codec', values: [] },
  { layer: 'core/graph', values: core('codec', 'rejection.ts') },
  { layer: 'core/access', values: core('codec', 'rejection.ts'), types: core('ports') },
  // What stands on its own is signed as an authority does.
  { layer: 'core/crdt', values: core('access', 'codec', 'graph', 'rejection.ts') },
  { layer: 'core/reconcile', values: core('codec', 'graph', 'crdt', 'rejection.ts'), types: core('ports') },
  { layer: 'core/ports', values: [], types: core('codec', 'graph') },
  ...roomFolders,
  { layer: 'core/query', values: [...foundations, ...core('room/state')], types: core('room') },
  {
    layer: 'core/archive',
    values: [...foundations, ...core('room/state', 'room/admission', 'room/keeping')],
    types: core('room'),
  },
  { layer: 'core/topology', values: [...foundations, ...core('room/state', 'room/keeping')], types: core('room') },
  { layer: 'core/wire', values: core('access', 'codec', 'rejection.ts'), types: core('graph') },
  { layer: 'core/tenancy', values: [...foundations, ...core('room/state', 'wire'), ...features], types: core('room') },
  // What commands, sessions and host share. It stands under all three, so none of them needs another's types.
  { layer: 'core/contract', values: core('wire'), types: [...foundations, ...core('query', 'tenancy')] },
  {
    layer: 'core/host',
    values: [...foundations, ...core('room', 'wire', 'tenancy'), ...features],
    types: core('contract'),
  },
  // The command table reaches a session as a value.
  {
    layer: 'core/session',
    values: core(
      'contract',
      'host',
      'tenancy',
      'wire',
      'access',
      'codec',
      'graph',
      'reconcile',
      'ports',
      'rejection.ts',
    ),
    types: core('room'),
  },
  {
    layer: 'core/commands',
    values: core('contract', 'tenancy', 'wire', 'codec', 'graph', 'access', 'ports', 'room/state', 'rejection.ts'),
    types: [...foundations, ...features, ...core('room')],
    siblings: (from) => from.endsWith('/table.ts'),
  },
  // A replica judges as a room does, and keeps what it cannot judge yet as a room does.
  {
    layer: 'core/client',
    values: [...foundations, ...core('room/state', 'room/admission', 'room/intake', 'room/keeping', 'wire')],
  },

  {
    layer: 'core/adapters',
    values: core('ports', 'codec', 'concurrency', 'rejection.ts'),
    types: core('graph'),
    builtins: 'all',
  },
  { layer: 'core/testing', values: [...everyLayer, ...core('engine.ts', 'peer.ts', 'keys.ts')], builtins: 'all' },
];

const coreLayers = coreFolders.map((row) => (row.builtins === 'all' ? row : { ...row, not: noStore }));

/** Files at the root of core/src: what the package exports, and what binds the layers together for it. */
const coreRoots: readonly Layer[] = [
  { layer: 'core/engine.ts', values: everyLayer.filter((layer) => layer !== 'core/testing'), not: noStore },
  // A peer loads nothing of the host.
  {
    layer: 'core/peer.ts',
    values: [...foundations, ...core('room', 'client', 'wire', 'adapters', 'keys.ts')],
    not: noStore,
  },
  { layer: 'core/keys.ts', values: core('access', 'adapters'), not: noStore },
  { layer: 'core/following.ts', values: core('client'), not: noStore },
  { layer: 'core/proofs.ts', values: [...foundations, ...core('adapters', 'query')], not: noStore },
  { layer: 'core/bindings.ts', values: [...foundations, ...core('client')], not: noStore },
  { layer: 'core/page.ts', values: [...foundations, ...core('client', 'adapters')], not: noStore },
  {
    layer: 'core/index.ts',
    values: [...everyLayer.filter((layer) => layer !== 'core/testing'), ...core('engine.ts', 'peer.ts', 'keys.ts')],
    not: noStore,
  },
  { layer: 'core/memory.ts', values: core('adapters', 'ports'), not: noStore },
  { layer: 'core/level.ts', values: core('adapters', 'ports'), not: ['pg'] },
  { layer: 'core/postgres.ts', values: core('adapters', 'ports'), not: ['level'] },
  {
    layer: 'core/client.ts',
    values: [...foundations, ...core('client', 'wire', 'peer.ts')],
    types: core('room/admission'),
    not: noStore,
  },
  { layer: 'core/testing.ts', values: everyLayer, builtins: 'all' },
];

const doorPackages = ['hono', '@hono/node-server', '@modelcontextprotocol/server', '@modelcontextprotocol/sdk'];

/** Disk and processes come in as ports; these files are what stands behind them. */
const behindPorts = /^studio\/src\/workspace\/(?:[^/]+\/)+(?:node|run)-/;

/** What an event-sourced record is made of. */
const studioRecord: readonly Layer[] = [
  {
    layer: 'studio/record/aggregates',
    values: studio('reasons.ts'),
    // An aggregate knows itself and what an aggregate is, never another one.
    siblings: (from, to) => aggregateOf(to) === undefined || aggregateOf(from) === aggregateOf(to),
    not: doorPackages,
    // A hash is pure; the rest of node:crypto is chance.
    builtins: ['node:crypto'],
    onlyNames: { '@weft/core': ['Rejection'], 'node:crypto': ['createHash'] },
  },
  {
    layer: 'studio/record/ledger',
    values: studio('reasons.ts', 'log.ts'),
    types: studio('record/aggregates'),
    not: doorPackages,
    builtins: 'all',
  },
  {
    layer: 'studio/record/views',
    values: studio('record/ledger', 'record/aggregates', 'reasons.ts', 'log.ts'),
    not: doorPackages,
  },
];

/**
 * Subjects of the rules, each with the subjects that it builds on. No two need each other, and the order leaves no place for two
 * that do.
 */
const subjects: Readonly<Record<string, readonly string[]>> = {
  goals: [],
  queue: ['goals'],
  branches: ['queue', 'goals'],
  proposals: ['branches', 'queue', 'goals'],
  people: ['proposals', 'queue', 'goals'],
  knowledge: ['proposals', 'queue', 'goals'],
  runs: ['knowledge', 'branches', 'queue', 'goals'],
  forges: ['people', 'knowledge', 'proposals', 'branches', 'queue', 'goals'],
};

/** Subjects that touch git or programs besides the record. */
const inWorkspaces = ['branches', 'proposals', 'runs', 'forges'];

const rules = Object.keys(subjects).map((subject) => `rules/${subject}`);
const record = ['record/aggregates', 'record/ledger', 'record/views'];

const studioRules: readonly Layer[] = Object.entries(subjects).map(([subject, below]) => ({
  layer: `studio/rules/${subject}`,
  values: studio(
    'record/aggregates',
    'record/views',
    'reasons.ts',
    'log.ts',
    ...below.map((other) => `rules/${other}`),
    ...(inWorkspaces.includes(subject) ? ['workspace'] : []),
  ),
  types: studio('record/ledger', 'workspace'),
  notFiles: behindPorts,
  not: doorPackages,
  // A hash is pure; the rest of node:crypto is chance.
  builtins: ['node:crypto'],
  onlyNames: { 'node:crypto': ['createHash'] },
}));

/** Doors, each with the other doors that it builds on. What all of them share is `entry`. */
const doors: Readonly<Record<string, readonly string[]>> = {
  entry: [],
  rest: ['entry', 'events'],
  tools: ['entry'],
  events: ['entry'],
  webhooks: ['entry'],
  docs: ['entry'],
  face: ['entry'],
  'command-line': ['entry'],
};

const doorRow = (layer: string, others: readonly string[]): Layer => ({
  layer,
  values: studio('operations', 'reasons.ts', 'log.ts', 'version.ts', ...others),
  types: studio('record/ledger', 'record/views', 'reasons', 'tokens.ts'),
  builtins: 'all',
});

const studioDoors: readonly Layer[] = [
  ...Object.entries(doors).map(([door, below]) =>
    doorRow(
      `studio/doors/${door}`,
      below.map((other) => `doors/${other}`),
    ),
  ),
  // The front puts the doors together.
  doorRow('studio/doors', ['doors']),
];

const studioLayers: readonly Layer[] = [
  { layer: 'studio/reasons.ts', values: studio('reasons'), not: doorPackages },
  { layer: 'studio/reasons', values: [], not: doorPackages },
  { layer: 'studio/version.ts', values: [] },
  { layer: 'studio/markdown.d.ts', values: [] },
  { layer: 'studio/clock.ts', values: [], not: doorPackages },
  { layer: 'studio/opened.ts', values: [], not: doorPackages },
  { layer: 'studio/log.ts', values: [], not: doorPackages, builtins: 'all' },
  { layer: 'studio/tokens.ts', values: studio('reasons.ts', 'log.ts'), not: doorPackages, builtins: 'all' },
  ...studioRecord,
  // What may happen, inside one change, by what it is about.
  ...studioRules,
  {
    layer: 'studio/workspace',
    values: studio('reasons.ts', 'log.ts', 'clock.ts', 'version.ts'),
    not: doorPackages,
    builtins: 'all',
  },
  {
    layer: 'studio/projections',
    values: studio('record/aggregates', 'record/views', 'rules/goals', 'rules/knowledge', 'reasons.ts'),
    types: studio('record/ledger'),
    not: doorPackages,
  },
  {
    // What speaks to a model.
    layer: 'studio/models',
    values: studio(...rules, 'record/aggregates', 'workspace', 'clock.ts', 'reasons.ts', 'log.ts'),
    types: studio('record/ledger', 'record/views'),
    not: doorPackages,
    builtins: 'all',
  },
  {
    // What acts by itself: it follows from what is recorded, without anybody asking for it.
    layer: 'studio/drivers',
    values: studio(
      'models',
      ...rules,
      'record/aggregates',
      'record/views',
      'workspace',
      'clock.ts',
      'reasons.ts',
      'log.ts',
    ),
    types: studio('record/ledger'),
    notFiles: behindPorts,
    not: doorPackages,
    builtins: ['node:crypto'],
    onlyNames: { 'node:crypto': ['createHash'] },
  },
  {
    layer: 'studio/operations',
    values: studio(...record, ...rules, 'projections', 'workspace', 'reasons.ts', 'log.ts'),
    types: studio('models', 'drivers'),
    notFiles: behindPorts,
    not: doorPackages,
  },
  ...studioDoors,
];

/** Layers of the demonstration and the suite of efficacy: programs of their own, which commands of the command line run. */
const studioOwn: readonly Layer[] = ['studio/demo', 'studio/efficacy'].map((layer) => ({
  layer,
  values: ['*'],
  builtins: 'all',
}));

/** Files at the root of studio/src that put the studio together: free to import all of it, imported by none of it. */
const studioPrograms: readonly Layer[] = [
  'index.ts',
  'face.ts',
  'efficacy.ts',
  'testing.ts',
  'config.ts',
  'runtime.ts',
  'studio.ts',
].map((file) => ({
  layer: `studio/${file}`,
  values: ['*'],
  builtins: 'all',
}));

export const layers: ReadonlyMap<string, Layer> = new Map(
  [...coreLayers, ...coreRoots, ...studioLayers, ...studioOwn, ...studioPrograms].map((row) => [row.layer, row]),
);

/** Workspace packages that each part of the tree may import by name. */
export const reachable: Readonly<Record<string, readonly string[]>> = {
  core: [],
  server: ['@weft/core'],
  // The face is files that the studio serves, and knows neither studio nor engine.
  studio: ['@weft/core', '@weft/face'],
  cli: ['@weft/core', '@weft/server', '@weft/studio', '@weft/studio-client'],
  // What people put into their pages: it knows the engine and no server.
  'client/web': ['@weft/core'],
  // A client of the public API alone.
  'client/studio': [],
  'client/face': ['@weft/studio-client'],
  test: [
    '@weft/core',
    '@weft/server',
    '@weft/studio',
    '@weft/studio-client',
    '@weft/face',
    '@weft/client',
    '@weft/cli',
  ],
  bench: ['@weft/core', '@weft/server', '@weft/studio', '@weft/client', '@weft/cli'],
  examples: ['@weft/core', '@weft/server', '@weft/studio', '@weft/client', '@weft/cli'],
};

export const workspacePackages: readonly string[] = [
  '@weft/core',
  '@weft/server',
  '@weft/studio',
  '@weft/client',
  '@weft/studio-client',
  '@weft/face',
  '@weft/cli',
];

/** Libraries that speak to a vendor of models, and the only folder that may import them. */
export const modelLibraries: readonly string[] = ['@anthropic-ai/sdk', 'openai', '@agentclientprotocol/sdk'];
export const modelProviders = 'studio/src/models/providers/';

/** Libraries that open sockets. Among the packages only the server imports them. */
export const socketLibraries: readonly string[] = ['uWebSockets.js', 'ws'];

function aggregateOf(path: string): string | undefined {
  return /^studio\/src\/record\/aggregates\/([^/]+)\//.exec(path)?.[1];
}
