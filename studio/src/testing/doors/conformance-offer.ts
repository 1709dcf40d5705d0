/**
 * What the official conformance suite calls by name, offered beside what the studio offers, so that the suite can ask the door
 * for all that it can carry: pictures and sounds, resources inside answers, how far a call is, and answers that ask for more.
 */
import {
  createRequestStateCodec,
  type ContentBlock,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequests,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Offer, OfferedPrompt, OfferedTool, Tool } from '../../doors/tools/offer.js';
import { TASK_CALLS, conformanceTask } from './conformance-tasks.js';

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=';

const text = (said: string): ContentBlock => ({ type: 'text', text: said });
const picture: ContentBlock = { type: 'image', data: PICTURE, mimeType: 'image/png' };
const resource = (uri: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, text: '{}', mimeType: 'text/json' },
});

const always =
  (...content: ContentBlock[]): OfferedTool['call'] =>
  () =>
    Promise.resolve({ content });

type Fields = ElicitRequestFormParams['requestedSchema']['properties'];

const STRING = { type: 'string' } as const;
/** A field of each kind, filled in. */
const DEFAULTS: Fields = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
/** Each way in which choices can be written. */
const titled = ['One', 'Two', 'Three'].map((title, n) => ({ const: `value${n + 1}`, title }));
const ENUMS: Fields = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};

const name = elicit('What is your name?', 'name');
const capital = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
});
const confirm = { confirm: elicit('Please confirm.', 'ok') };

const logging: OfferedTool['call'] = async (_input, _key, { mcpReq }) => {
  for (const step of ['begun', 'under way', 'done']) await mcpReq.log('info', step);
  return { content: [text('Done.')] };
};

const CALLS: Readonly<Record<string, OfferedTool['call']>> = {
  test_simple_text: always(text('Simple text.')),
  test_image_content: always(picture),
  test_audio_content: always({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  test_embedded_resource: always(resource('test://embedded-resource')),
  test_multiple_content_types: always(text('All kinds.'), picture, resource('test://mixed-content-resource')),
  test_error_handling: () => Promise.resolve({ content: [text('It fails, as it should.')], isError: true }),
  json_schema_2020_12_tool: always(text('ok')),
  test_logging_tool: logging,
  test_tool_with_logging: logging,
  test_sampling: asking({ capital }),
  test_elicitation: asking({ user: elicitForm('Who are you?', { username: STRING, email: STRING }) }),
  test_elicitation_sep1034_defaults: asking({ person: elicitForm('Is this right?', DEFAULTS) }),
  test_elicitation_sep1330_enums: asking({ choices: elicitForm('What do you choose?', ENUMS) }),
  async test_tool_with_progress(_input, _key, { mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    return { content: [text('Done.')] };
  },
  test_missing_capability: asking({ capital }),
  test_tool_with_header: always(text('ok')),
  ...TASK_CALLS,
  test_streaming_elicitation: asking({ user_name: name }),
  test_input_required_result_elicitation: asking({ user_name: name }),
  test_input_required_result_sampling: asking({ capital }),
  test_input_required_result_list_roots: asking({ roots: inputRequired.listRoots() }),
  test_input_required_result_request_state: asking(confirm),
  test_input_required_result_tampered_state: asking(confirm),
  test_input_required_result_multiple_inputs: asking({ name, capital, roots: inputRequired.listRoots() }),
  test_input_required_result_multi_round: asking({ step1: name }, { step2: elicit('Which colour?', 'color') }),
  test_input_required_result_capabilities: (input, key, during) =>
    asking(during.capabilities?.elicitation ? { name, capital } : { capital })(input, key, during),
};

/** It must reach the client with every keyword. */
const SCHEMAS: Readonly<Record<string, Tool['inputSchema']>> = {
  test_tool_with_header: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

const RESOURCES = [
  { uri: 'test://static-text', name: 'text', mimeType: 'text/plain', text: 'What it says.' },
  { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain', text: 'What it says now.' },
  { uri: 'test://static-binary', name: 'binary', mimeType: 'image/png', blob: PICTURE },
];

const PROMPTS: readonly OfferedPrompt[] = [
  prompt('test_simple_prompt', [], () => [text('Simple.')]),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1 = '', arg2 = '' }) => [text(`${arg1} and ${arg2}`)]),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) => [resource(resourceUri)]),
  prompt('test_prompt_with_image', [], () => [picture]),
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks for more.',
    get: (_given, { mcpReq }) =>
      mcpReq.inputResponses === undefined
        ? inputRequired({ inputRequests: { user_context: elicit('In which context?', 'context') } })
        : { messages: [{ role: 'user', content: text('In that context.') }] },
  },
];

export function withConformance(offer: Offer): Offer {
  const tools = Object.keys(CALLS).map((name): Tool => {
    const inputSchema = SCHEMAS[name] ?? { type: 'object', properties: {} };
    return { name, description: 'Of the conformance suite.', inputSchema };
  });
  return {
    ...offer,
    tools: [...offer.tools, ...tools],
    tool(name) {
      const call = CALLS[name];
      return call ? { call } : offer.tool(name);
    },
    task: async (id) => conformanceTask(id) ?? offer.task?.(id),
    templates: [...offer.templates, { name: 'template', uriTemplate: 'test://template/{id}/data' }],
    resources: () => [...offer.resources(), ...RESOURCES.map(({ uri, name, mimeType }) => ({ uri, name, mimeType }))],
    read(uri) {
      const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
      if (id !== undefined) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id }) }] };
      const found = RESOURCES.find((one) => one.uri === uri);
      if (!found) return offer.read(uri);
      const { name: _name, ...content } = found;
      return { contents: [content] };
    },
    prompts: [...offer.prompts, ...PROMPTS],
  };
}

/** Sealed, because it comes back from the client. */
const state = createRequestStateCodec<number>({ key: 'a key that only this test has, and long' });

/** Asks for one thing after the other, and is done when all is answered. */
function asking(...rounds: InputRequests[]): OfferedTool['call'] {
  return async (_input, _key, during) => {
    const { inputResponses = {} } = during.mcpReq;
    const round = await roundOf(during);
    const isAnswered = Object.keys(rounds[round] ?? {}).every((key) => key in inputResponses);
    const inputRequests = rounds[isAnswered ? round + 1 : round];
    if (!inputRequests) return { content: [text('state-ok')] };
    return inputRequired({ inputRequests, requestState: await state.mint(rounds.indexOf(inputRequests)) });
  };
}

async function roundOf(during: ServerContext): Promise<number> {
  const echoed = during.mcpReq.requestState<string>();
  if (echoed === undefined) return 0;
  return state.verify(echoed, during).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the state is not what was sent');
  });
}

function elicit(message: string, field: string): InputRequests[string] {
  return elicitForm(message, { [field]: STRING });
}

function elicitForm(message: string, properties: Fields): InputRequests[string] {
  const required = Object.keys(properties);
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
}

function prompt(
  name: string,
  needed: readonly string[],
  content: (given: Readonly<Record<string, string>>) => ContentBlock[],
): OfferedPrompt {
  return {
    name,
    description: 'Of the conformance suite.',
    arguments: needed.map((argument) => ({ name: argument, required: true })),
    get: (given) => ({ messages: content(given).map((block) => ({ role: 'user', content: block })) }),
  };
}
