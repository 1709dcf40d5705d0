/** Who is in a room, what they show of themselves, and what waits. */
import { shortName, visible } from '../parts/text.js';
import { Empty, Read } from '../parts/ui.js';
import { bytes, shortKey } from './show.js';
import { LIVE_MS, useWord } from './use-words.js';

export function PeersTab({ room }: { readonly room: string }) {
  const peers = useWord('room-peers', { room }, LIVE_MS);
  return (
    <Read of={peers}>
      {({ peers: here, presence, heads, ...load }) => (
        <>
          {heads === undefined && <p class="quiet">The room is asleep: it is not in memory, and nobody is there.</p>}
          {here.length === 0 ? (
            <Empty>Nobody is here.</Empty>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>Peer</th>
                  <th>Kind</th>
                  <th>Key</th>
                </tr>
              </thead>
              <tbody>
                {here.map(({ pubkey, peer_type, proven }, at) => (
                  <tr key={at}>
                    <td title={pubkey}>
                      <code>{shortKey(pubkey)}</code>
                    </td>
                    <td>{shortName(peer_type)}</td>
                    <td>{proven ? 'proven' : 'only said'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          <h2>Presence</h2>
          {presence.length === 0 ? (
            <Empty>Nobody shows anything.</Empty>
          ) : (
            <ul class="plain">
              {presence.map(({ session, pubkey, shows }) => (
                <li key={session}>
                  <code title={pubkey}>{shortKey(pubkey)}</code> <code>{visible(shows)}</code>
                </li>
              ))}
            </ul>
          )}
          <h2>Waiting, beside its limits</h2>
          <Budget name="Came too early" used={load.parked_bytes} limit={load.parked_limit_bytes} />
          <Budget name="Inboxes of all rooms" used={load.inbox_bytes} limit={load.inbox_limit_bytes} />
          <p>{load.pushes_waiting} writes have no answer yet.</p>
        </>
      )}
    </Read>
  );
}

function Budget({ name, used, limit }: { readonly name: string; readonly used: number; readonly limit: number }) {
  return (
    <label class="field">
      <span>
        {name}: {bytes(used)} of {bytes(limit)}
      </span>
      <meter min={0} max={Math.max(1, limit)} value={used} />
    </label>
  );
}
