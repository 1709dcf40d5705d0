/** The page: a question, what the agents make of it while they write, and the decision, which is Ann's. */
import { openRoom } from '@weft/client';

// The key is the page's own. The server gives a token for it, and Ann's word that she writes by it.
const pass = async (key) => (await fetch(`/pass/${key}`, { headers: { authorization: location.hash } })).json();
const room = openRoom('desk', {
  url: ROOMS,
  audience: new URL(ROOMS).host, // to whom the key is proved
  token: async (key) => (await pass(key)).token,
  delegation: async (key) => (await pass(key)).delegation,
});

document.head.appendChild(document.createElement('style')).textContent = `
  body { max-width: 44rem; margin: 2rem auto; font: 1rem/1.5 system-ui, sans-serif; }
  form, main { display: flex; gap: 1rem; }
  input { flex: 1; font: inherit; padding: 0.25rem 0.5rem; }
  section { flex: 1; border: 1px solid #ccc; border-radius: 6px; padding: 0 1rem 1rem; margin: 1rem 0; }
  section p { min-height: 6rem; }
  section.chosen { border-color: #17803d; box-shadow: 0 0 0 1px #17803d; }
  small { display: block; color: #b3261e; min-height: 1.5rem; }
`;
document.body.insertAdjacentHTML(
  'beforeend',
  `<form><input placeholder="Ask the agents" required><button>Ask</button></form><main>
    ${['careful', 'eager'].map((name) => `<section id="${name}"><h2>${name}</h2><p></p><small></small><button>Take this</button></section>`).join('')}
  </main><output>opening …</output>`,
);
const find = (selector) => document.querySelector(selector);

const show = () => {
  const decision = room.get('decision');
  for (const section of document.querySelectorAll('section')) {
    section.querySelector('p').textContent = room.textOf(`agents/${section.id}/draft`);
    section.querySelector('small').textContent = room.get(`agents/${section.id}/refused`) ?? '';
    section.className = section.id === decision ? 'chosen' : '';
  }
  find('output').textContent = decision ? `Ann has decided: ${decision}` : 'Nothing is decided';
};

function begin() {
  find('form').onsubmit = (event) => {
    event.preventDefault();
    room.edit(() => {
      room.set('question', find('input').value);
      room.delete('decision'); // that was of the question before
    });
  };
  for (const section of document.querySelectorAll('section'))
    section.querySelector('button').onclick = () => room.set('decision', section.id);
  room.observe({ prefix: '' }, show);
  show();
}
room.joined.then(begin, () => (find('output').textContent = 'This link lets nobody in'));
