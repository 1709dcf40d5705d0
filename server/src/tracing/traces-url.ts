/** Address of the collector of traces: an option of ours, or the variables that all programs with OpenTelemetry read. */
import { ConfigError } from '../config/config-error.js';

/** Environment of OpenTelemetry, as far as it says whether and where traces are sent. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Address that traces are sent to: the option, or what OpenTelemetry's own variables name; undefined where nothing is traced. */
export function tracesUrl(option: string | undefined, environment: Environment): string | undefined {
  const said = (name: string): string => environment[name]?.trim() ?? '';
  if (said('OTEL_SDK_DISABLED').toLowerCase() === 'true') return undefined;
  if (option !== undefined) return option;
  if (!['', 'otlp'].includes(said('OTEL_TRACES_EXPORTER'))) return undefined;
  const direct = said('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (direct !== '') return checked('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', direct);
  const base = said('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (base === '') return undefined;
  return `${checked('OTEL_EXPORTER_OTLP_ENDPOINT', base).replace(/\/+$/, '')}/v1/traces`;
}

/** Throws for what is no address of a collector. */
export function parseTracesUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('must be an address such as http://127.0.0.1:4318');
  if (url.username !== '' || url.password !== '')
    throw new Error('must hold no password: headers for the collector are for OTEL_EXPORTER_OTLP_HEADERS');
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}

function checked(name: string, text: string): string {
  try {
    parseTracesUrl(text);
    return text;
  } catch (error) {
    throw new ConfigError(name, error instanceof Error ? error.message : String(error));
  }
}
