/** Text of a tool's answer: what a model can read of it, and what was left out. Pure. */
import type { CallToolResult } from '@modelcontextprotocol/client';

export function answerText(content: CallToolResult['content'], structured: unknown): string {
  const parts = content.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'resource':
        return 'text' in part.resource ? part.resource.text : leftOut(part.resource.uri, part.resource.blob);
      case 'resource_link':
        return `[${part.name}: ${part.uri}]`;
      case 'image':
      case 'audio':
        return leftOut(part.mimeType, part.data);
    }
  });
  const text = parts.join('\n');
  // A server need not say in words what it says as data.
  return text.trim() === '' && structured !== undefined ? JSON.stringify(structured) : text;
}

function leftOut(what: string, base64: string): string {
  return `[${what}, ${Math.floor(base64.length * 0.75)} bytes, is not shown]`;
}
