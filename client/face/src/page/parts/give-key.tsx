import { quoted } from '../core/twin.js';
import { Does } from './ui.js';

/** Gives a key. The command that does the same reads it from standard input, so what is shown has no key in it. */
export function GiveKey({
  name,
  secret,
  onGiven,
}: {
  readonly name: string;
  readonly secret: string;
  readonly onGiven: () => void;
}) {
  return (
    <Does
      label="Give the key"
      kind="main"
      disabled={name.trim() === '' || secret === ''}
      operation="credential.keep"
      input={{ credentialRef: name, apiKey: secret }}
      command={`weft key set ${quoted(name)}`}
      done="The studio has the key until it stops"
      after={onGiven}
    />
  );
}
