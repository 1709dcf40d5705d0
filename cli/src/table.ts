/**
 * Command table: names and summaries. A command itself is loaded when it is asked for, so that help and a short command
 * do not wait for the room server and the studio to be read.
 */
import type { CliCommand, CliEntry } from './syntax/define.js';

const FOLDER = 'In --archive-root; a name, a path that leads there, or a URI.';

export const cliTable: readonly CliEntry[] = [
  {
    name: 'up',
    summary: 'Run the room server and the studio in one process, on one data folder.',
    load: async () => (await import('./commands/servers/up.js')).up,
  },
  {
    name: 'open',
    summary:
      'Open the page of a running studio in your browser, by a link that works once; printed where there is none.',
    load: async () => (await import('./commands/servers/open.js')).open,
  },
  {
    name: 'run',
    summary: 'Set a goal for the repository that you are in, and watch it until something waits for you.',
    load: async () => (await import('./commands/goals/run.js')).run,
  },
  {
    name: 'status',
    summary: 'Show the goals of a running studio, and what waits for you, with the command to paste.',
    load: async () => (await import('./commands/goals/status.js')).status,
  },
  {
    name: 'follow',
    summary:
      'Tell what happens to a goal as it happens, until it is over or you stop it. Default: the newest goal that is under way.',
    load: async () => (await import('./commands/goals/follow.js')).follow,
  },
  {
    name: 'top',
    summary:
      'Sit at the work of a studio: goals, agents, spend and what needs you on one screen; approve, answer, pause, attach by key.',
    load: async () => (await import('./commands/goals/top.js')).top,
  },
  {
    name: 'review',
    summary:
      'Read what is proposed, with its changes and what was checked; then say yes, no, or something. Default: the oldest that waits.',
    load: async () => (await import('./commands/goals/review.js')).review,
  },
  {
    name: 'approve',
    summary:
      'Say that a proposal is good, and land it on your branch: both approvals at once. Default: the only one that waits.',
    load: async () => (await import('./commands/goals/approve.js')).approve,
  },
  {
    name: 'answer',
    summary: 'Answer a question that a goal waits for.',
    load: async () => (await import('./commands/goals/answer.js')).answer,
  },
  {
    name: 'retry',
    summary: 'Go on with a goal of which something has failed, or that was stopped.',
    load: async () => (await import('./commands/goals/retry.js')).retry,
  },
  {
    name: 'stop',
    summary: 'Stop a goal and all work on it. What it has changed stays on its branches.',
    load: async () => (await import('./commands/goals/stop.js')).stop,
  },
  {
    name: 'cost',
    summary: 'Show what goals have cost, or one goal by model. Dollars count models whose prices the studio knows.',
    load: async () => (await import('./commands/goals/cost.js')).cost,
  },
  {
    name: 'transcript',
    summary: 'Print all that agents were told, said and did for a goal or one of its work units, to be kept in a file.',
    load: async () => (await import('./commands/goals/transcript.js')).transcript,
  },
  {
    name: 'goal graph',
    summary: 'Show the work units of a goal, what waits for what, as lines or as a picture. Default: the newest goal.',
    load: async () => (await import('./commands/goals/goal.js')).graph,
  },
  {
    name: 'clone',
    summary: 'Copy a repository over https, ssh or the disk, with the credentials of your git, and register it.',
    load: async () => (await import('./commands/remote.js')).clone,
  },
  {
    name: 'fetch',
    summary:
      'Bring what has come to a remote of the repository that you are in. No branch of yours moves without --forward.',
    load: async () => (await import('./commands/remote.js')).fetch,
  },
  {
    name: 'push',
    summary:
      'Write a branch of the studio to a remote: forward, or in place of a commit that you name. Default: your own branch.',
    load: async () => (await import('./commands/remote.js')).push,
  },

  {
    name: 'key set',
    summary:
      'Give a key of a model to the running studio, from standard input; work that waits for it goes on. It is held in memory until the studio stops.',
    load: async () => (await import('./commands/agents/key.js')).setKey,
  },
  {
    name: 'key list',
    summary: 'List the names of the keys that the running studio holds.',
    load: async () => (await import('./commands/agents/key.js')).listKeys,
  },
  {
    name: 'key forget',
    summary: 'Have the running studio forget a key.',
    load: async () => (await import('./commands/agents/key.js')).forgetKey,
  },
  {
    name: 'memory list',
    summary: 'List what is remembered of repositories, and what agents propose to remember.',
    load: async () => (await import('./commands/agents/memory.js')).listMemories,
  },
  {
    name: 'memory add',
    summary: 'Have later work on a repository know something.',
    load: async () => (await import('./commands/agents/memory.js')).addMemory,
  },
  {
    name: 'memory confirm',
    summary: 'Have later work told of a memory, in its words or in yours.',
    load: async () => (await import('./commands/agents/memory.js')).confirmMemory,
  },
  {
    name: 'memory refuse',
    summary: 'Refuse a memory that an agent proposes; it is not proposed in the same words again.',
    load: async () => (await import('./commands/agents/memory.js')).refuseMemory,
  },
  {
    name: 'memory remove',
    summary: 'Have later work told of a memory no more.',
    load: async () => (await import('./commands/agents/memory.js')).removeMemory,
  },
  {
    name: 'tools add',
    summary:
      'Add a server of tools (Model Context Protocol) for agents, or look at one anew; those are offered that --allow names.',
    load: async () => (await import('./commands/agents/tools.js')).addTools,
  },
  {
    name: 'tools list',
    summary: 'List the servers of tools that agents have, and what of each is allowed.',
    load: async () => (await import('./commands/agents/tools.js')).listTools,
  },
  {
    name: 'tools remove',
    summary: 'Take a server of tools away from agents.',
    load: async () => (await import('./commands/agents/tools.js')).removeTools,
  },
  {
    name: 'token show',
    summary: 'Print a token of the running studio, for programs that speak to its doors: the one of the data folder.',
    load: async () => (await import('./commands/rooms/token.js')).showToken,
  },

  {
    name: 'serve',
    summary: 'Run the room server. Prints its URL when it is ready.',
    load: async () => (await import('./commands/servers/serve.js')).serve,
  },
  {
    name: 'studio',
    summary: 'Run the studio alone. Prints its URL when it is ready.',
    load: async () => (await import('./commands/servers/studio.js')).studio,
  },
  {
    name: 'eval',
    summary: 'Try a model on small repositories with goals and hidden tests, and keep a report of what it came to.',
    load: async () => (await import('./commands/agents/eval.js')).evaluate,
  },
  {
    name: 'eval compare',
    summary: 'Hold two reports of weft eval against each other, case by case.',
    load: async () => (await import('./commands/agents/eval.js')).compare,
  },
  {
    name: 'demo',
    summary: 'Show a goal from its statement to its end, in a repository made for it, without a network or a model.',
    load: async () => (await import('./commands/servers/demo.js')).demo,
  },
  {
    name: 'token',
    summary: 'Give one peer rights in one room: prints a token, as JSON, for its hello.',
    load: async () => (await import('./commands/rooms/token.js')).token,
  },
  {
    name: 'mcp',
    summary:
      'Give the tools of a running studio to a program that speaks the Model Context Protocol over stdin and stdout.',
    load: async () => (await import('./commands/agents/mcp.js')).mcp,
  },
  {
    name: 'mcp install',
    summary:
      'Print what a client of the Model Context Protocol needs to reach your studio; with --write, put it into the file of the project.',
    load: async () => (await import('./commands/agents/mcp-install.js')).mcpInstall,
  },

  {
    name: 'backup',
    summary: 'Copy a data folder, while its server goes on. The copy is checked, and is there whole or not at all.',
    load: async () => (await import('./commands/keeping/backup.js')).backup,
  },
  {
    name: 'restore',
    summary: 'Make a data folder of a backup. All of it is checked.',
    load: async () => (await import('./commands/keeping/backup.js')).restore,
  },
  {
    name: 'cold',
    summary: 'Show what of a database lies in its cold store; with --back, bring it all back.',
    load: async () => (await import('./commands/keeping/cold.js')).cold,
  },
  {
    name: 'gc',
    summary: 'Say which blobs no log mentions any more, or delete them, while the server goes on.',
    load: async () => (await import('./commands/keeping/gc.js')).gc,
  },
  {
    name: 'doctor',
    summary: 'Look for what is wrong with a data folder, while its server goes on. Fails when something is.',
    load: async () => (await import('./commands/keeping/doctor.js')).doctor,
  },
  {
    name: 'migrate',
    summary: 'Bring a data folder to the format of this version, or say what that would do.',
    load: async () => (await import('./commands/keeping/migrate.js')).migrate,
  },

  {
    name: 'authority init',
    summary: 'Make the key of a root, in a file of its own, and an authority file that names it.',
    load: async () => (await import('./commands/servers/authority.js')).init,
  },
  {
    name: 'authority key',
    summary: 'Say the public key of a root, which is made where there is none: for roots that lie on several machines.',
    load: async () => (await import('./commands/servers/authority.js')).key,
  },
  {
    name: 'authority request',
    summary: 'Say which keys of a server a root has to certify; makes the one that it signs with, where there is none.',
    load: async () => (await import('./commands/servers/authority.js')).request,
  },
  {
    name: 'authority certify',
    summary: 'Certify the keys of a server by a root: what it says goes into the authority file.',
    load: async () => (await import('./commands/servers/authority.js')).certify,
  },
  {
    name: 'authority rotate',
    summary:
      'Name other roots, signed by those until now, or by the recovery where one is lost or stolen. Rooms may move by it.',
    load: async () => (await import('./commands/servers/authority-roots.js')).rotate,
  },
  {
    name: 'authority sign',
    summary: 'Sign a proposed change of roots by one more of them, where its key is.',
    load: async () => (await import('./commands/servers/authority-roots.js')).sign,
  },
  {
    name: 'authority adopt',
    summary: 'Take a proposed change of roots into the authority file, when enough of them have signed it.',
    load: async () => (await import('./commands/servers/authority-roots.js')).adopt,
  },
  {
    name: 'authority revoke',
    summary: 'Take back what roots have said of the key of a server that is lost or stolen.',
    load: async () => (await import('./commands/servers/authority.js')).revoke,
  },
  {
    name: 'authority show',
    summary: 'Show what an authority file says: roots, whom they have certified or revoked, and how they have changed.',
    load: async () => (await import('./commands/servers/authority.js')).show,
  },
  word(
    'authority status',
    'Show who speaks for rooms on a server that runs, as it has it by now; and whether it has a say in a room.',
  ),

  {
    name: 'subject key',
    summary: 'Say the public key of a person, who has several devices; it is made where there is none.',
    load: async () => (await import('./commands/rooms/subject.js')).key,
  },
  {
    name: 'subject delegate',
    summary: 'Take the key of a device for one of a person: policies and tokens that name the person are for it too.',
    load: async () => (await import('./commands/rooms/subject.js')).delegate,
  },
  {
    name: 'subject revoke',
    summary: 'Say that the key of a device is the person’s no more; a room has to be told with weft room revoke-keys.',
    load: async () => (await import('./commands/rooms/subject.js')).revoke,
  },

  {
    name: 'room list',
    summary: 'List the rooms with their sizes, and which of them are shut.',
    load: async () => (await import('./commands/rooms/room.js')).list,
  },
  {
    name: 'room watch',
    summary:
      'Watch a room until it is stopped: who is there, its heads, how fast it is written to, what waits beside its limits, and each node. Values are not shown.',
    load: async () => (await import('./commands/rooms/room.js')).watch,
  },

  // What an operator says to a server: its own table has them too, and a test holds these to it.
  word('room inspect', 'Show what a room is: nodes, bytes, heads, the hash of its state, its lineage.'),
  word('room peers', 'Show who is in a room and what they show of themselves, and what waits there beside its limits.'),
  word(
    'room keys',
    'List the keys of a room in their order with the beginning of what each holds, now or at a position of its log.',
  ),
  word('room why', 'Show what a key holds, who wrote it and over whom it won, and the newest writes to it.'),
  word(
    'room text',
    'Show a text with who wrote which part of it, now or at a position of the log, and when it was written to.',
  ),
  word('room graph', 'Show how the nodes of a room stand on each other, in columns, a page at a time.'),
  word('room lineage', 'Show of which rooms a room is a child, and which are its children.'),
  word('room lock', 'Lock a room: from now on only peers with a token enter, and who is there without one has to go.'),
  word('room unlock', 'Let everybody enter a room again.'),
  word('room token', 'Give one peer rights in a room: a token, for its hello.'),
  word(
    'room revoke',
    "Revoke a peer's tokens for a room: those that expire within a time. If it is there by one, it has to go.",
  ),
  word(
    'room revoke-keys',
    'Take back in a room that keys are those of a person: of all, or by its own word of one. Who is here as such has to go.',
  ),
  word('room policy', 'Show who may write where in a room, or say it: who is not in it may not, from now on.'),
  word('room may', 'Say whether a peer may write to a key by the policy of a room, and which rule decides.'),
  word('room fork', 'Begin a child room with all that a room holds now. It is locked and governed as its parent.'),
  word('room promote', 'Merge what a child has changed into a room, in one commit; or show what that would do.'),
  word('room tick', 'Start the tick of a room, by which the server decides intents; or stop it.'),
  word('room compact', 'Compact a room. No answer changes by it.'),
  word('room prune', 'Give up for good what registers held before a position of the log. Everybody comes again.'),
  word('room erase', 'Erase every value that a key has ever had, from a room and its children. Everybody comes again.'),
  word('room blobs', 'List the blobs that a room may read, with their sizes.'),
  word(
    'room archive',
    'Write a room with its blobs as one signed file, where the server keeps archives. One of it there is replaced.',
  ),
  word('room restore', 'Take an archive into a room, which begins with it where there is none of that name.'),
  word('room quarantine', 'Shut a room, across restarts too: its peers have to go, and nobody enters.'),
  word('room resume', 'Open a room again that was shut.'),
  word(
    'room delete',
    'Delete a room with its history and its blobs, for good; a signed tombstone stays in its place for a time.',
  ),
  word(
    'session revoke',
    'Revoke what an identity provider, or your application, has given to somebody until now: who is here by it has to go.',
  ),
  word(
    'session recheck',
    'Ask again who may be here, of those whom the authentication hook has let in: other rights hold at once.',
  ),
  word(
    'webhook add',
    'Have an address told what rooms have become: signed, at least once, each room in the order of its log.',
  ),
  word('webhook list', 'Show who is told what rooms have become, and what keeps them waiting.'),
  word('webhook remove', 'Tell an address nothing any more.'),

  {
    name: 'archive export',
    summary: `Write a room with its blobs as one signed file. ${FOLDER} One of the same room is replaced.`,
    load: async () => (await import('./commands/keeping/archive.js')).exportRoom,
  },
  {
    name: 'archive import',
    summary: `Take all that an archive holds into a room, in one commit, after everything in it was computed anew. ${FOLDER}`,
    load: async () => (await import('./commands/keeping/archive.js')).importRoom,
  },
  {
    name: 'archive validate',
    summary: `Say whether an archive is what it says; fails when it is not. ${FOLDER}`,
    load: async () => (await import('./commands/keeping/archive.js')).validate,
  },
  {
    name: 'archive describe',
    summary: `Show what an archive says of itself. ${FOLDER}`,
    load: async () => (await import('./commands/keeping/archive.js')).describe,
  },
  {
    name: 'replay',
    summary: 'Print what was written to a room, a line of JSON for each node, in the order of its log.',
    load: async () => (await import('./commands/rooms/replay.js')).replay,
  },

  {
    name: 'bench',
    summary:
      'Measure what this machine and this disk do for a room, without sockets, in a folder that is taken away again.',
    load: async () => (await import('./commands/bench.js')).bench,
  },
  {
    name: 'pack inspect',
    summary: 'Show what is in a pack: nodes, authors, kinds of ops, seals. Nothing is verified but its form.',
    load: async () => (await import('./commands/rooms/pack.js')).inspect,
  },
  {
    name: 'completion',
    summary:
      'Print a script that completes commands and flags: eval "$(weft completion --shell bash)", the same with zsh, and weft completion --shell fish | source.',
    load: async () => (await import('./commands/completion.js')).completionOf(loadCommands),
  },
];

function word(name: string, summary: string): CliEntry {
  return { name, summary, load: async () => (await import('./commands/rooms/words.js')).wordCommand(name) };
}

export async function loadCommand({ load, ...named }: CliEntry): Promise<CliCommand> {
  return { ...named, ...(await load()) };
}

/** All commands, for what tells of every flag. */
export function loadCommands(): Promise<readonly CliCommand[]> {
  return Promise.all(cliTable.map(loadCommand));
}
