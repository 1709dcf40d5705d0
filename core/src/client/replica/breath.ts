/**
 * Breath between two slices of long work in a page: what waits, such as painting and keys, comes first. A message is not held back
 * in tabs that nobody sees, as timers are.
 */
export function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const heard = (): void => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', heard);
    port1.start();
    port2.postMessage(undefined);
  });
}
