import type { BuiltInRule } from '../types.ts';
import { LEADS_OUT, wordList } from './option-names.ts';

/** Commands of helm that look. */
export const HELM_LOOKS = wordList('list ls status history get show search version env lint');

/** Rules about files and addresses that are given to commands of clusters; each look is one of another rule too. */
export const CLUSTER_FILES: readonly BuiltInRule[] = [
  {
    name: 'kubernetes.read-file',
    programs: ['kubectl', 'oc'],
    // Behind `logs` the letter is another option.
    words: [['get', 'describe', 'diff']],
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
    words: [['get', 'describe', 'diff']],
    value: { of: ['-f', '--filename'], matches: /:\/\// },
    class: 'read',
    needs: ['inspect_status', 'use_network'],
    examples: [['kubectl', 'get', '-f', 'https://example.org/x']],
    notExamples: [['kubectl', 'get', '-f', 'x.yaml']],
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
