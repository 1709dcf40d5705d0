/** An agent: drafts an answer to each question, in its own corner, where all see it grow. */
import { setTimeout as pause } from 'node:timers/promises';
import { keepRoom } from '@weft/core';
import WebSocket from 'ws';

/** In place of a model: the words of an answer, one after the other. */
const ANSWERS = {
  careful: (question) => `You ask “${question}”. I would look at last year's figures first, and answer on Monday.`,
  eager: (question) => `“${question}” Yes! Do it today, and do it twice.`,
};

export async function startAgent({ name, keys, audience, token }) {
  const open = () => new WebSocket(`ws://${audience}/ws/desk`);
  const client = keepRoom({ open, keys, token, room: 'desk', audience });
  await client.joined;
  const { replica } = client;
  const draft = replica.text(`agents/${name}/draft`);

  async function work(question) {
    const isAsked = () => replica.get('question') === question;
    draft.delete(0, draft.length);
    replica.delete(`agents/${name}/refused`);
    for (const word of ANSWERS[name](question).split(/(?<= )/)) {
      await pause(80);
      if (!isAsked()) return; // she has asked something else, and that is answered anew
      draft.insert(draft.length, word);
    }
    if (name === 'eager') replica.set('decision', name); // it would rather not wait for her
  }

  // What is refused has left this copy by itself. It is told where the agent may write.
  client.onRefused(([node]) => replica.set(`agents/${name}/refused`, `tried to decide: ${node.reason}`));

  const listen = () => replica.get('question') && void work(replica.get('question'));
  replica.observe('question', listen);
  listen();
  return () => client.close();
}
