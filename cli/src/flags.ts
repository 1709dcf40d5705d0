/** Flags that more than one command takes. */
export const storeFlag = {
  summary: 'Data folder, or `memory` to keep nothing.',
  value: 'folder|memory',
  default: './weft-data',
} as const;

export const serverFlags = {
  listen: {
    summary: 'Address of the room server; port 0 takes a free one.',
    value: 'host:port',
    default: '127.0.0.1:7878',
  },
  transport: {
    summary: 'WebSocket implementation; `auto` takes uWebSockets.js where it runs.',
    value: 'name',
    choices: ['auto', 'uws', 'ws'],
    default: 'auto',
  },
  'public-host': {
    summary:
      'Names under which peers dial this server, with commas between them; the address itself and localhost without.',
    value: 'a,b:port',
  },
  'admin-key': { summary: 'File with the admin key; `admin.key` in the data folder without.', value: 'file' },
  'blob-addr': {
    summary: 'Address where peers move blobs by signed links; none without it.',
    value: 'ip:port',
  },
  'blob-url': { summary: 'How peers reach that address, behind a proxy.', value: 'url' },
  'metrics-addr': { summary: 'Address for GET /metrics (Prometheus text); none without it.', value: 'host:port' },
} as const;

export const webhookHostsFlag = {
  summary: 'Hosts that webhooks may name, over https, with commas between them; only this machine without.',
  value: 'a,b',
} as const;

export const studioListenFlag = {
  summary: 'Address of the studio; port 0 takes a free one.',
  value: 'host:port',
  default: '127.0.0.1:7880',
} as const;
