// No undo; who is here is written into a feed and stays in the history; accounts in place of a token.
import { co, z } from 'jazz-tools';
import { JazzBrowserContextManager } from 'jazz-tools/browser';
const Here = co.feed(z.object({ name: z.string(), cursor: z.number() }));
const Plan = co.map({ title: z.string(), body: co.plainText(), here: Here });
const manager = new JazzBrowserContextManager();
await manager.createContext({ sync: { peer: 'wss://example.org', when: 'always' }, storage: 'indexedDB' });
const plan = await Plan.load(globalThis.planId, { resolve: { body: true, here: true } });
globalThis.setTitle = (title) => plan.$jazz.set('title', title);
globalThis.type = (at, text) => (at === 0 ? plan.body.insertBefore(0, text) : plan.body.insertAfter(at - 1, text));
globalThis.move = (cursor) => plan.here.$jazz.push({ name: 'Ann', cursor });
globalThis.read = () => [plan.title, plan.body.toString(), Object.values(plan.here.perSession)];
plan.$jazz.subscribe({ resolve: { body: true, here: true } }, () => globalThis.draw());
