import type { BuiltInRule } from '../types.ts';
import { LEADS_OUT, wordList } from './option-names.ts';

/** Commands of helm that look. */
export const HELM_LOOKS = wordList('list ls status history get show search version env lint');

const LOOKS_AT_FILES = wordList('get describe diff wait');
/** Words that take files of what is there, or shall be; behind `rollout` stand some that look. */
const TAKE_FILES = wordList(
  'apply create replace delete patch label annotate scale autoscale expose taint set rollout run edit',
);
const FILES = ['-f', '--filename'];

/** Rules about files and addresses that are given to commands of clusters; each look is one of another rule too. */
export const CLUSTER_FILES: readonly BuiltInRule[] = [
  {
    name: 'kubernetes.read-file',
    programs: ['kubectl', 'oc'],
    // Behind `logs` the letter is another option.
    words: [LOOKS_AT_FILES],
    options: ['-f', '--filename'],
    reads: /^(?!)$/,
    sources: ['-f', '--filename'],
    class: 'read',
    needs: ['inspect_status'],
    examples: [['kubectl', 'get', '-f', '/etc/x']],
    notExamples: [['kubectl', 'logs', '-f', 'web']],
  },
  {
    name: 'kubernetes.read-far',
    programs: ['kubectl', 'oc'],
    words: [LOOKS_AT_FILES],
    value: { of: ['-f', '--filename'], matches: /:\/\// },
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [['kubectl', 'get', '-f', 'https://example.org/x']],
    notExamples: [['kubectl', 'get', '-f', 'x.yaml']],
  },
  {
    name: 'kubernetes.change-file',
    programs: ['kubectl', 'oc'],
    words: [TAKE_FILES],
    options: FILES,
    reads: /^(?!)$/,
    sources: FILES,
    // What else is done with it is for other rules to say.
    class: 'read',
    needs: [],
    yieldsTo: ['kubernetes.change'],
    examples: [
      ['kubectl', 'apply', '-f', '/etc/x.yaml'],
      ['kubectl', 'rollout', 'status', '-f', '/etc/x.yaml'],
    ],
    notExamples: [['kubectl', 'apply', '-l', 'a=b']],
  },
  {
    name: 'kubernetes.change-far',
    programs: ['kubectl', 'oc'],
    words: [TAKE_FILES],
    value: { of: FILES, matches: /:\/\// },
    class: 'read',
    needs: ['use_network'],
    yieldsTo: ['kubernetes.change'],
    examples: [
      ['kubectl', 'apply', '-f', 'https://example.org/x.yaml'],
      ['kubectl', 'rollout', 'status', '-f', 'https://example.org/x.yaml'],
    ],
    notExamples: [['kubectl', 'apply', '-f', 'x.yaml']],
  },
  {
    name: 'kubernetes.secrets',
    programs: ['kubectl', 'oc'],
    words: [['config'], ['view']],
    // Keys and tokens are left out without it.
    options: ['--raw'],
    class: 'read',
    needs: ['inspect_status', 'read_files'],
    examples: [['kubectl', 'config', 'view', '--raw']],
    notExamples: [['kubectl', 'config', 'view']],
  },
  {
    name: 'kubernetes.helm-asks-hub',
    programs: ['helm'],
    words: [['search'], ['hub']],
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [['helm', 'search', 'hub', 'x']],
    notExamples: [['helm', 'search', 'repo', 'x']],
  },
  {
    name: 'kubernetes.helm-fetches',
    programs: ['helm'],
    words: [wordList('install upgrade pull repo dependency registry')],
    operand: /:\/\//,
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [
      ['helm', 'pull', 'oci://example.org/x'],
      ['helm', 'install', 'r', 'oci://example.org/x'],
      ['helm', 'repo', 'add', 'x', 'https://example.org'],
    ],
    notExamples: [['helm', 'install', 'r', './x']],
  },
  {
    name: 'kubernetes.helm-asks-repos',
    programs: ['helm'],
    // Every repository that it knows, without a word that names one.
    words: [['repo'], ['update', 'up']],
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [
      ['helm', 'repo', 'update'],
      ['helm', 'repo', 'up', 'x'],
    ],
    notExamples: [['helm', 'repo', 'list']],
  },
  {
    name: 'kubernetes.helm-fetches-named',
    programs: ['helm'],
    // Never a chart of this machine.
    words: [['pull']],
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [['helm', 'pull', 'x/y']],
    notExamples: [['helm', 'package', 'x']],
  },
  {
    name: 'kubernetes.helm-fetches-parts',
    programs: ['helm'],
    words: [['dependency'], ['update', 'up', 'build']],
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [['helm', 'dependency', 'update', './chart']],
    notExamples: [['helm', 'dependency', 'list', './chart']],
  },
  {
    name: 'kubernetes.copy',
    programs: ['kubectl', 'oc'],
    words: [['cp']],
    reads: true,
    class: 'destructive',
    needs: ['destructive', 'manage_services'],
    examples: [['kubectl', 'cp', '/etc/x', 'web:/x']],
    notExamples: [['kubectl', 'drain', 'node1']],
  },
  {
    name: 'kubernetes.helm-read-file',
    programs: ['helm'],
    words: [HELM_LOOKS],
    operand: LEADS_OUT,
    reads: LEADS_OUT,
    class: 'read',
    needs: ['inspect_status'],
    examples: [['helm', 'show', 'values', '/root/x']],
    notExamples: [['helm', 'show', 'values', 'x/y']],
  },
  {
    name: 'kubernetes.helm-read-far',
    programs: ['helm'],
    words: [HELM_LOOKS],
    operand: /:\/\//,
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [['helm', 'show', 'chart', 'oci://example.org/x']],
    notExamples: [['helm', 'show', 'chart', 'x/y']],
  },
  {
    name: 'kubernetes.helm-sends',
    programs: ['helm'],
    words: [['push']],
    reads: LEADS_OUT,
    class: 'config-mutation',
    needs: ['manage_services', 'use_network'],
    examples: [['helm', 'push', 'x.tgz', 'oci://example.org/y']],
    notExamples: [['helm', 'pull', 'x/y']],
  },
  {
    name: 'kubernetes.helm-index',
    programs: ['helm'],
    // It writes a file into the folder that it lists.
    words: [['repo'], ['index']],
    class: 'config-mutation',
    needs: ['manage_services'],
    writes: { from: 2 },
    examples: [['helm', 'repo', 'index', 'x']],
    notExamples: [['helm', 'repo', 'update']],
  },
];
