import type { RulePack } from '../types.ts';
import { optionNames } from './option-names.ts';

const SENDS = [
  ...['-d', '--data', '--data-raw', '--data-binary', '--data-urlencode', '--data-ascii', '--json'],
  ...['-F', '--form', '--form-string', '-T', '--upload-file'],
];
/** Options of curl that are known and are more than a look: they send, write, or go another way. */
const BESIDES = [
  ...['-d', '--data', '-F', '--form', '-T', '--upload-file', '-o', '--output', '-K', '--config', '-c', '--cookie-jar'],
  ...['-D', '--dump-header', '-Q', '-w', '--write-out', '-t', '-b', '--cookie', '-x', '--proxy', '-E', '--cert', '-U'],
  ...['-C', '-P', '-z', '-Y', '-y'],
];
/** A header that is read from a file. */
const FROM_FILE = /\n(?:-(?!-)[^\n]*H|--header)[\n=]?@/;

/** Options of wget that are known and write, or read a file. */
const WGET_BESIDES = ['-o', '-a', '-P', '-i'];

/** Requests over HTTP. */
export const transferPack: RulePack = {
  topic: 'transfer',
  programs: [
    {
      names: ['curl'],
      valued: optionNames(
        'XHAemodFTubxKwrcDEYyzCPQtU',
        '--request --header --user-agent --referer --max-time --connect-timeout --retry --retry-delay --output --data --form --upload-file --user --cookie --proxy --config --write-out --range --cacert --cookie-jar --dump-header --cert',
      ),
      flags: optionNames(
        'sSIiLvfkg46#N',
        '--silent --show-error --fail --fail-with-body --head --include --location --verbose --insecure --compressed --http1.1 --http2 --ipv4 --ipv6 --no-progress-meter --progress-bar --no-buffer --globoff --tlsv1.2 --tlsv1.3 --retry-connrefused --retry-all-errors',
      ),
    },
    {
      names: ['wget'],
      valued: optionNames('OTtoaPUQi', '--output-document --timeout --tries --user-agent --header'),
      flags: optionNames('qSvd46', '--spider --quiet --server-response --no-verbose --no-check-certificate'),
      // Logs are written, lists are read, and what they name is fetched.
      elsewhere: ['-o', '-a', '-P', '-i'],
    },
  ],
  rules: [
    {
      name: 'transfer.get',
      programs: ['curl'],
      except: ['-X', '--request', ...BESIDES],
      writtenNot: FROM_FILE,
      operand: /^https?:\/\/[^\s]+$/i,
      class: 'read',
      needs: ['use_network'],
      examples: [
        ['curl', '-sI', 'https://example.org'],
        ['curl', '-sS', 'https://example.org'],
        ['curl', '-fsSL', '-m', '5', '-H', 'accept: text/plain', 'https://example.org/x'],
      ],
      notExamples: [
        ['curl', '-X', 'POST', 'https://example.org/x'],
        ['curl', '-o', 'x', 'https://example.org'],
        ['curl', '--option-of-tomorrow=./x', 'https://example.org'],
        ['curl', '--unix-socket', '/run/x', 'http://example.org'],
        ['curl', '-H', '@/etc/shadow', 'https://example.org'],
        ['curl', '-4sH@/etc/shadow', 'https://example.org'],
        ['curl', 'file:///etc/passwd'],
      ],
    },
    {
      name: 'transfer.other-scheme',
      programs: ['curl'],
      operand: /^(?!https?:\/\/)/i,
      class: 'config-mutation',
      needs: ['use_network'],
      examples: [['curl', 'https://example.org', 'gopher://example.org/x']],
      notExamples: [['curl', 'https://example.org']],
    },
    {
      name: 'transfer.get-named',
      programs: ['curl'],
      value: { of: ['-X', '--request'], matches: /^(GET|HEAD|OPTIONS)$/ },
      except: BESIDES,
      writtenNot: FROM_FILE,
      operand: /^https?:\/\/[^\s]+$/i,
      class: 'read',
      needs: ['use_network'],
      examples: [['curl', '-X', 'GET', 'https://example.org/x']],
      notExamples: [
        ['curl', '-X', 'POST', 'https://example.org/x'],
        ['curl', '-X', 'GET', '-o', 'x', 'https://example.org'],
      ],
    },
    {
      name: 'transfer.send',
      programs: ['curl'],
      options: SENDS,
      class: 'config-mutation',
      needs: ['use_network'],
      examples: [
        ['curl', '-d', 'a=b', 'https://example.org'],
        ['curl', '-X', 'GET', '--json', '{}', 'https://example.org'],
      ],
      notExamples: [['curl', 'https://example.org']],
    },
    {
      name: 'transfer.send-named',
      programs: ['curl'],
      value: { of: ['-X', '--request'], matches: /^(POST|PUT|PATCH)$/ },
      class: 'config-mutation',
      needs: ['use_network'],
      examples: [['curl', '-X', 'POST', 'https://example.org/x']],
      notExamples: [
        ['curl', '-X', 'GET', 'https://example.org/x'],
        ['curl', '-X', 'DELETE', 'https://example.org/x'],
      ],
    },
    {
      name: 'transfer.delete',
      programs: ['curl'],
      value: { of: ['-X', '--request'], matches: /^(?!(GET|HEAD|OPTIONS|POST|PUT|PATCH)$)/ },
      class: 'destructive',
      needs: ['use_network', 'destructive'],
      examples: [
        ['curl', '-X', 'DELETE', 'https://example.org/x'],
        ['curl', '-XPURGE', 'https://example.org/x'],
      ],
      notExamples: [['curl', '-X', 'POST', 'https://example.org/x']],
    },
    {
      name: 'transfer.save',
      programs: ['curl'],
      options: ['-o', '--output'],
      class: 'config-mutation',
      needs: ['use_network', 'edit_repo'],
      target: { kind: 'path', option: '-o|--output' },
      writes: true,
      examples: [['curl', '-o', 'x', 'https://example.org']],
      notExamples: [['curl', 'https://example.org']],
    },
    {
      name: 'transfer.save-unnamed',
      programs: ['curl'],
      options: [
        '-O',
        '--remote-name',
        '--remote-name-all',
        '-J',
        '--remote-header-name',
        '-K',
        '--config',
        '-c',
        '--cookie-jar',
        '-D',
        '--dump-header',
        '--trace',
        '--trace-ascii',
        '--stderr',
        '-Q',
        '--quote',
        '--output-dir',
        '--libcurl',
        '--hsts',
        '--alt-svc',
        '--etag-save',
        '-w',
        '--write-out',
      ],
      class: 'destructive',
      needs: ['use_network', 'destructive'],
      examples: [
        ['curl', '-O', 'https://example.org/x'],
        ['curl', '-K', 'x'],
      ],
      notExamples: [['curl', '-I', 'https://example.org']],
    },
    {
      name: 'transfer.runs-programs',
      programs: ['curl', 'wget'],
      // A file of options, one option for any other, what asks for a password, a library that is loaded, and a daemon of this machine.
      options: ['-K', '--config', '--engine', '--use-askpass', '--execute', '--unix-socket', '--abstract-unix-socket'],
      class: 'destructive',
      needs: ['use_network', 'destructive', 'shell'],
      examples: [
        ['wget', '--use-askpass=./p', 'https://example.org'],
        ['curl', '-K', 'x'],
      ],
      notExamples: [['curl', '-X', 'DELETE', 'https://example.org/x']],
    },
    {
      name: 'transfer.wget-executes',
      programs: ['wget'],
      options: ['-e'],
      class: 'destructive',
      needs: ['use_network', 'destructive', 'shell'],
      examples: [['wget', '-e', 'use_askpass=./p', 'https://example.org']],
      notExamples: [['wget', 'https://example.org']],
    },
    {
      name: 'transfer.spider',
      programs: ['wget'],
      options: ['--spider'],
      except: ['-O', '--output-document', ...WGET_BESIDES],
      class: 'read',
      needs: ['use_network'],
      examples: [['wget', '--spider', 'https://example.org']],
      notExamples: [
        ['wget', 'https://example.org'],
        ['wget', '--spider', '-e', 'x=y', 'https://example.org'],
      ],
    },
    {
      name: 'transfer.wget-out',
      programs: ['wget'],
      value: { of: ['-O', '--output-document'], matches: /^-$/ },
      except: WGET_BESIDES,
      class: 'read',
      needs: ['use_network'],
      examples: [['wget', '-qO-', 'https://example.org']],
      notExamples: [['wget', '-O', 'x', 'https://example.org']],
    },
    {
      name: 'transfer.wget-save',
      programs: ['wget'],
      except: ['--spider', '-O', '--output-document', '--version', '--help'],
      class: 'destructive',
      needs: ['use_network', 'destructive'],
      examples: [['wget', 'https://example.org/x']],
      notExamples: [
        ['wget', '--spider', 'https://example.org'],
        ['wget', '-O', '-', 'https://example.org'],
      ],
    },
    {
      name: 'transfer.wget-save-to',
      programs: ['wget'],
      value: { of: ['-O', '--output-document'], matches: /^(?!-$)/ },
      class: 'config-mutation',
      needs: ['use_network', 'edit_repo'],
      target: { kind: 'path', option: '-O|--output-document' },
      writes: true,
      examples: [['wget', '-O', 'x', 'https://example.org']],
      notExamples: [['wget', '-O', '-', 'https://example.org']],
    },
  ],
};
