export { formatAddress, parseAddress, type Address } from './address.js';
export { createBlobLinks, type BlobLinks, type BlobLinksOptions } from './blobs/links.js';
export { createMetrics, type Metrics } from './metrics.js';
export { startServer, type RunningServer, type ServerOptions } from './server.js';
export type { TransportChoice } from './transports/choose.js';
