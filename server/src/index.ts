export { formatAddress, parseAddress, type Address } from './address.js';
export { createBlobLinks, type BlobLinks, type BlobLinksOptions } from './blobs/links.js';
export { ConfigError } from './config/config-error.js';
export { defaultOf, optionTable, type Config, type Option } from './config/options.js';
export { readConfig, showConfig, type Sources } from './config/read-config.js';
export { renderConfigDocs } from './config/render-config.js';
export { createMetrics, type Metrics } from './metrics.js';
export { startServer, type RunningServer, type ServerOptions } from './server.js';
export type { TransportChoice } from './transports/choose.js';
