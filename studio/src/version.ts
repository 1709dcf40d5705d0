/** Versions that the studio tells its callers. */
export const STUDIO_VERSION = '0.1.0';

/** Contract version: the shape of routes, tools and envelopes. */
export const CONTRACT_VERSION = 'v1';
