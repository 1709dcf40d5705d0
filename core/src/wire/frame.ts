/** A frame is a JSON object with a `type`. One that goes to many peers is encoded once. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class SharedFrame {
  readonly frame: Frame;
  #text: string | undefined;

  constructor(frame: Frame) {
    this.frame = frame;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.frame);
    return this.#text;
  }
}

/** The object in a text frame, or undefined when it holds none with a string `type`. */
export function parseFrame(text: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFrame(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
