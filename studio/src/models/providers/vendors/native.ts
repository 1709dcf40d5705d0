/** Native items of a turn, for the model that said them. */
import type { ModelMessage, ModelRequest, NativeItem } from '../../provider.js';

type Said = Extract<ModelMessage, { role: 'assistant' }>;

/** Items that go back as they came; undefined when another vendor or model said them, or none were kept. */
export function nativeOf({ native }: Said, vendor: string, { model }: ModelRequest): readonly NativeItem[] | undefined {
  return native?.vendor === vendor && native.model === model ? native.items : undefined;
}
