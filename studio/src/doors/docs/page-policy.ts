/** Content security policy of a page of the host's own: its script and style only, requests to the host only, no frames. */
import { createHash } from 'node:crypto';

export function pagePolicy(script: string, style: string): string {
  return [
    ...["default-src 'none'", `script-src '${hashOf(script)}'`, `style-src '${hashOf(style)}'`, "connect-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
