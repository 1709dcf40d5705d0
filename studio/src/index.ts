/** The public names of @weft/studio. */
export { renderStudioDocs } from './doors/docs.js';
export { toolList } from './doors/mcp.js';
export type { ToolProfile } from './doors/mcp.js';
export { openApiDocument } from './doors/openapi.js';
export type { StreamLimits } from './doors/event-streams.js';
export type { RateLimit } from './doors/rate-limit.js';
export type { AgentToken } from './doors/token-book.js';
export type { StudioLog, StudioLogEntry } from './log.js';
export type { Scope } from './operations/caller.js';
export type { NamedOperation, Operation } from './operations/define.js';
export { operationTable } from './operations/table.js';
export { STUDIO_REASONS } from './reasons.js';
export type { StudioReason } from './reasons.js';
export { startStudio, WORKGROUP_ROOM } from './studio.js';
export type { RunningStudio, StudioOptions } from './studio.js';
export { loadTokens, newTokens, TOKENS_FILE } from './tokens.js';
export type { StudioTokens } from './tokens.js';
export { CONTRACT_VERSION, STUDIO_VERSION } from './version.js';
