import { toWritError } from '@writ/core';
import { addPeer, type PeerEntry, removePeer, updatePeer } from '../../edit.ts';
import { stockConfig } from '../../stock.ts';
import { testId } from '../testing.ts';
import type { Part } from './part.ts';

const id = testId('rack');

/** A file as somebody wrote it by hand. */
const WRITTEN = `# my node
schema = 1

[node]
name = "box" # its label

[self]
profiles = ["query"]
accept_origins = ["Laptop", "desk"]

# the laptop of a friend
# with two lines about it
[peers.Laptop] # hers
id = "${testId('laptop')}" # hers
profiles = [
  "query", # reads
]
# where she may be asked
[peers.Laptop.outbound]
profiles = ["query"] # last line of it


# the desk
[peers.desk]
id = "${testId('desk')}"
accept_origins = ["laptop", "far"]

[origins.far]
id = "${testId('far')}"

[[tests]] # about the laptop
from = "laptop"
profile = "query"
expect = "allow:query"

[[tests]] # about the desk, through the laptop
from = "desk"
chain = ["LAPTOP", "desk"]
expect = "deny:CHAIN_MISMATCH"

# about nobody
[[tests]]
from = "nobody"
expect = "deny:PEER_UNKNOWN"
`;

const INLINE = `schema = 1
peers.desk = { id = "${testId('desk')}", profiles = ["query"] }
[node]
name = "box"
`;

const TEXTS: Readonly<Record<string, string>> = {
  'by hand': WRITTEN,
  'by hand, line ends of Windows': WRITTEN.replaceAll('\n', '\r\n'),
  'without a last line end': WRITTEN.trimEnd(),
  inline: INLINE,
  'no peer': 'schema = 1\n[node]\nname = "box"\n\n\n',
  'a test first':
    'schema = 1\n[[tests]]\nfrom = "nobody"\nexpect = "deny:PEER_UNKNOWN"\n[peers.laptop]\nprofiles = []\n[node]\n',
  nothing: '',
  'no TOML': 'schema = [',
};

const WHOLE: PeerEntry = {
  ...{ label: 'rack', id, address: 'rack.lan:7420', profiles: ['query', 'dev'], workspaces: ['app'], maxDepth: 2 },
  ...{ mayRequestLease: true, outbound: { profiles: ['query'], workspaces: ['site'], ship: true } },
};

const EDITS: Readonly<Record<string, (text: string) => string>> = {
  'add, all of it': (text) => addPeer(text, WHOLE),
  'add, little of it': (text) => addPeer(text, { label: 'rack', id, profiles: [], workspaces: [] }),
  'add, outbound without ship': (text) =>
    addPeer(text, {
      ...{ label: 'a.b "c"', id, profiles: [], workspaces: [] },
      outbound: { profiles: [], workspaces: [] },
    }),
  'add one that is there': (text) => addPeer(text, { label: 'LAPTOP', id, profiles: [], workspaces: [] }),
  'change all of it': (text) => updatePeer(text, 'laptop', { ...WHOLE, enabled: false }),
  'change outbound alone': (text) => updatePeer(text, 'Laptop', { outbound: { profiles: ['dev'], workspaces: [] } }),
  'change nothing': (text) => updatePeer(text, 'laptop', {}),
  'change one that is not there': (text) => updatePeer(text, 'shelf', { enabled: true }),
  'remove laptop': (text) => removePeer(text, 'laptop'),
  'remove desk': (text) => removePeer(text, 'desk'),
  'remove one that is not there': (text) => removePeer(text, 'shelf'),
};

/** Each edit of each text, line ends that are not plain made visible. */
export const EDIT_PARTS: readonly Part[] = Object.entries(TEXTS).flatMap(([name, text]) =>
  Object.entries(EDITS).map(([what, edit]) => ({
    title: `${name}: ${what}`,
    text: () => outcomeOf(() => edit(text)).replaceAll('\r', '\\r'),
  })),
);

function outcomeOf(edit: () => string): string {
  try {
    return edit();
  } catch (thrown) {
    const { code, message, nextSteps } = toWritError(thrown);
    return [`${code}: ${message}`, ...nextSteps].join('\n');
  }
}

/** What a new node begins with. */
export const STOCK_PARTS: readonly Part[] = [
  {
    title: 'it listens, has workspaces and no sandbox',
    text: () =>
      stockConfig({
        ...{ nodeName: 'box', listen: '0.0.0.0:7420', isolation: 'none' },
        workspaces: [
          { name: 'app', path: '~/src/app' },
          { name: 'a.b', path: '/srv/"b"' },
        ],
      }),
  },
  {
    title: 'it only dials out, has no workspace and a sandbox',
    text: () => stockConfig({ nodeName: 'box', workspaces: [], isolation: 'required' }),
  },
];
