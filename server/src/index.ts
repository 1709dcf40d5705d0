export { type Asking, askServer } from './operator/ask.js';
export { backup } from './operator/backup.js';
export { type Checked, check } from './operator/check.js';
export {
  type ListedRoom,
  roomCompact,
  roomInspect,
  roomList,
  roomQuarantine,
  roomResume,
  roomWatch,
} from './operator/rooms.js';
export { type Collected, gc } from './operator/gc.js';
export { type ControlOptions, listenControl } from './operator/control-listener.js';
export { type Operation, OperatorError } from './operator/define.js';
export { Performing } from './operator/perform.js';
export { formatAddress, parseAddress, type Address } from './address.js';
export { s3Archives } from './archives/s3-archives.js';
export { createBlobLinks, type BlobLinks, type BlobLinksOptions } from './blobs/links.js';
export type { S3Keys } from './s3/bucket.js';
export { type S3Blobs, s3Blobs } from './blobs/s3/s3-blobs.js';
export { meteredStore } from './blobs/metered.js';
export { ConfigError } from './config/config-error.js';
export { defaultOf, optionTable, type Config, type Option } from './config/options.js';
export { readConfig, showConfig, type Sources } from './config/read-config.js';
export { renderConfigDocs } from './config/render-config.js';
export { createLog, type Log, type LogOptions } from './log.js';
export { createMetrics, type Metrics } from './metrics.js';
export { startServer, type RunningServer, type ServerOptions } from './server.js';
export type { TlsFiles } from './tls.js';
export type { TransportChoice } from './transports/choose.js';
