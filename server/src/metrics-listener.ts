/**
 * The scrape address: its own listener, so that metrics are never reachable through the
 * address that peers use. Access control is the deployment's.
 */
import { createServer, type ServerResponse } from 'node:http';
import { bindHttp } from './http-listening.js';
import type { Metrics } from './metrics.js';
import type { Listening } from './transports/transport.js';

export interface MetricsListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
}

export async function listenMetrics({ host, port, metrics }: MetricsListenerOptions): Promise<Listening> {
  const http = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/metrics') return refuse(response, 404, 'not found: the only route is /metrics\n');
    if (request.method !== 'GET') {
      response.setHeader('Allow', 'GET');
      return refuse(response, 405, 'method not allowed: use GET\n');
    }
    metrics.render().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      () => refuse(response, 500, 'the metrics could not be collected\n'),
    );
  });
  return bindHttp(http, host, port, '--metrics-addr');
}

function refuse(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(body);
}
