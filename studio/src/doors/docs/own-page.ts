/** Page of the host's own: one script and one style, requests to the host only, no frames; its policy lets in nothing else. */
import { createHash } from 'node:crypto';

export interface OwnPage {
  readonly html: string;
  /** Content security policy. */
  readonly policy: string;
}

export function ownPage(parts: { readonly style: string; readonly body: string; readonly script: string }): OwnPage {
  const { style, body, script } = parts;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft Studio</title>
<style>${style}</style>
</head>
<body>
<h1>Weft Studio</h1>
${body}
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    ...["default-src 'none'", `script-src '${hashOf(script)}'`, `style-src '${hashOf(style)}'`, "connect-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ');
  return { html, policy };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
