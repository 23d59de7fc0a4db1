import type { BuiltInRule } from '../types.ts';

/** Rules about probes that print what a file or a variable keeps, or ask another machine; each command is one of another rule too. */
export const SYSTEM_SECRETS: readonly BuiltInRule[] = [
  {
    name: 'system.sign-ins-file',
    programs: ['who', 'uptime', 'last'],
    // Any file is read as one of sign-ins, and pieces of it are shown.
    operand: /^/,
    writtenNot: /^\nam\n[iI]$/,
    class: 'read',
    needs: ['inspect_status', 'read_files'],
    examples: [['who', '-a', '/etc/passwd']],
    notExamples: [
      ['who', '-a'],
      ['who', 'am', 'i'],
    ],
  },
  {
    name: 'system.names',
    programs: ['getent'],
    words: [['hosts', 'ahosts', 'ahostsv4', 'ahostsv6', 'networks', 'netgroup']],
    // Names are looked up with servers.
    least: 1,
    class: 'read',
    needs: ['inspect_network', 'inspect_status'],
    examples: [['getent', 'hosts', 'example.org']],
    notExamples: [
      ['getent', 'hosts'],
      ['getent', 'passwd', 'x'],
    ],
  },
  {
    name: 'system.environments',
    programs: ['ps'],
    // Letters without a dash: with an `e` the variables of each process are shown.
    operand: /^[A-Za-df-z]*e[A-Za-z]*$/,
    class: 'read',
    needs: ['inspect_processes', 'read_files'],
    examples: [
      ['ps', 'auxe'],
      ['ps', 'e'],
    ],
    notExamples: [
      ['ps', 'aux'],
      ['ps', '-ef'],
    ],
  },
  {
    name: 'system.environments-option',
    programs: ['ps'],
    options: ['-E'],
    class: 'read',
    needs: ['inspect_processes', 'read_files'],
    examples: [['ps', '-E']],
    notExamples: [['ps', '-e']],
  },
];
