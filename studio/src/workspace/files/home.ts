/** Home of the user who runs the host; undefined where the machine knows of none, as in an empty container. */
import { homedir } from 'node:os';

export function homeOfUser(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
