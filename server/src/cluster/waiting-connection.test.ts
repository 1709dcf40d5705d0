import type { Connection } from '@weft/core';
import { expect, it } from 'vitest';
import { WaitingConnection } from './waiting-connection.js';

function waiting(mostBytes = 100) {
  const said: string[] = [];
  const socket = { send: () => true, close: (code: number, reason: string) => void said.push(`${code} ${reason}`) };
  const target: Connection = {
    receive: (frame) => void said.push(`receive ${String(frame)}`),
    drained: () => void said.push('drained'),
    progressed: () => void said.push('progressed'),
    closed: () => void said.push('closed'),
  };
  return { connection: new WaitingConnection(socket, mostBytes), target, said };
}

it('what a peer sends before it is known where his room is goes there first, in order', () => {
  const { connection, target, said } = waiting();
  connection.receive('hello');
  connection.receive('push');
  connection.become(() => target);
  connection.receive('more');
  connection.drained();
  connection.progressed();
  connection.closed();
  expect(said).toEqual(['receive hello', 'receive push', 'receive more', 'drained', 'progressed', 'closed']);
});

it('a peer who sends too much, or cannot be served, is closed once, and nothing is made for him any more', () => {
  for (const end of ['refused', 'full', 'left'] as const) {
    const { connection, target, said } = waiting(10);
    if (end === 'refused') connection.refuse(1012, 'later');
    else if (end === 'full') connection.receive('longer than that');
    else connection.closed();
    connection.refuse(1012, 'again');
    connection.receive('late');
    connection.become(() => target);
    connection.closed();
    const expected = { refused: ['1012 later'], full: ['1011 server overload'], left: [] };
    expect(said).toEqual(expected[end]);
  }
});
