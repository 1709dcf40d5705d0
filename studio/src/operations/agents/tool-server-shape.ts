/** Shapes of tool servers, as callers see them. */
import { z } from 'zod';

const Id = z.string().min(1).max(200);

export const ServerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,19}$/)
  .describe('Name of the server, which its tools begin with: small letters, digits and hyphens, 20 at most.');

export const serverFields = {
  command: z
    .array(z.string().min(1).max(4000))
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Program and arguments of a server that is started here and speaks over its standard input and output; no shell.',
    ),
  url: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe(
      'Address of a server over streamable http: http of this machine, or https of a host that the operator allows.',
    ),
  online: z.boolean().default(false).describe('Whether the program has the network. Without it there is none.'),
  keys: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/), Id)
    .default({})
    .describe(
      'Names of keys, by the variables in which the program finds them. With a key it does not see the files of a unit.',
    ),
  credentialRef: Id.optional().describe('Name of the key that is sent to an address as a bearer token.'),
  repositoryId: Id.optional().describe('Repository that it is for. Default: all.'),
  profiles: z
    .array(Id)
    .min(1)
    .max(50)
    .optional()
    .describe('Ids of the agent profiles that it is for. Default: those of the stages Execute and Reconcile.'),
  seconds: z.int().min(1).max(600).default(60).describe('How long a call may take.'),
  allowed: z
    .array(z.string().min(1).max(200))
    .max(64)
    .default([])
    .describe('Names of the tools that agents are offered, of those that the server lists. Default: none.'),
};

export const ToolServer = z
  .object({
    name: ServerName,
    command: z.array(z.string()).optional().describe('Program and arguments, if it is started here.'),
    url: z.string().optional().describe('Address, if it is reached.'),
    online: z.boolean().describe('Whether the program has the network.'),
    keys: z.record(z.string(), z.string()).describe('Names of keys by the variables that hold them.'),
    credentialRef: z.string().optional().describe('Name of the key that is sent as a bearer token.'),
    hasKeys: z.boolean().describe('Whether this host holds all keys that are named.'),
    repositoryId: z.string().optional().describe('Repository that it is for. Absent: all.'),
    profiles: z
      .array(z.string())
      .optional()
      .describe('Agent profiles that it is for. Absent: those of the stages Execute and Reconcile.'),
    seconds: z.number().describe('How long a call may take.'),
    addedAt: z.string().describe('When it was added, ISO 8601.'),
    tools: z
      .array(
        z.object({
          name: z.string().describe('Name of the tool at its server.'),
          description: z.string().describe('What the server said of it then, which agents are told.'),
          inputSchema: z.record(z.string(), z.unknown()).describe('JSON schema of its input.'),
          isAllowed: z.boolean().describe('Whether agents are offered it.'),
          offeredAs: z.string().describe('Name by which agents call it.'),
        }),
      )
      .describe('What it listed when it was added.'),
  })
  .meta({ id: 'ToolServer', description: 'A server of tools that a person has added for agents.' });
