/** The public names of @weft/studio-client. */
export { createStudioClient, StudioError } from './client.js';
export type { CallOptions, StudioClient, StudioClientOptions } from './client.js';
export { followEvents } from './events.js';
export type { FollowOptions, NumberedEvent, Spoken } from './events.js';
export { ROUTES } from './operations.js';
export type * from './operations.js';
