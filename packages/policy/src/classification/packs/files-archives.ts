import type { BuiltInRule } from '../types.ts';
import { wordList } from './option-names.ts';

/** A file here: what has a colon in front may be one of another machine. */
const FILE = '(?!-)[^\\n:…]+';
const MEMBERS = '(?:\\n(?!-)[^\\n…]+)*';
/** The letters of options with or without a dash; what unpacks is chosen by name and is a program of the system. */
const TAR_LISTS = new RegExp(`^\\n-?(?:[vzjJ]*t[vzjJ]*f)\\n${FILE}${MEMBERS}$`);
const TAR_PACKS = new RegExp(
  `^\\n-?(?:[vzjJ]*c[vzjJ]*f)\\n${FILE}(?:\\n--exclude(?:-vcs|=[^\\n…]+))*(?:\\n(?![-@])[^\\n:…]+)+$`,
);
const TAR_KEEPS = new RegExp(`^(?:${[TAR_LISTS, TAR_PACKS].map(({ source }) => source.slice(1, -1)).join('|')})$`);
/** Lists what is in it, tests it, or prints what is packed; without one of them `unzip` writes files. */
const ZIP_LISTS = /^\n-[vq]*[ltpZ][lvtpqZ1]*\n(?!-)[^\n…]+(?:\n(?!-)[^\n…]+)*$/;
/** Writes to the standard output, or lists or tests, and so keeps the file as it is; of several the last counts, and `-d` unpacks. */
const STREAMS = new RegExp(
  `^(?:${[
    '(?:\\n-[dlvtkq0-9]+)*\\n-[dlvtkq0-9]*c[cdlvtkq0-9]*(?:\\n-[cdlvtkq0-9]+)*',
    '(?:\\n-[vkq0-9]+)*\\n-[vkq0-9]*[lt][lvtkq0-9]*(?:\\n-[lvtkq0-9]+)*',
  ].join('|')})(?:\\n(?!-)[^\\n:…]+)*$`,
);
const PACKERS = ['gzip', 'gunzip', 'bzip2', 'xz', 'zstd'];

type Looks = Pick<BuiltInRule, 'class' | 'needs'>;
const LOOKS: Looks = { class: 'read', needs: ['read_files'] };
type Unpacks = Pick<BuiltInRule, 'class' | 'needs' | 'plainOperands' | 'reads' | 'sources'>;
/** Files that are there already are overwritten, wherever the archive says; one with a colon is at another machine. */
const UNPACKS: Unpacks = {
  class: 'destructive',
  needs: ['destructive'],
  plainOperands: /^[^:]*$/,
  reads: true,
  sources: ['--directory', '-d', '-i'],
};

/** Rules about archives: lists of them, and what packs and unpacks. */
export const ARCHIVES: readonly BuiltInRule[] = [
  {
    ...LOOKS,
    name: 'files.list-tar',
    programs: ['tar'],
    written: TAR_LISTS,
    examples: [
      ['tar', 'tf', 'a.tar'],
      ['tar', '-tzvf', 'a.tgz', 'x'],
    ],
    notExamples: [
      ['tar', 'xf', 'a.tar'],
      ['tar', 'tf', 'host:a.tar'],
      ['tar', '-I', './p', '-tf', 'a.tar'],
      ['tar', 'tf', 'a.tar', '--to-command=id'],
    ],
  },
  {
    name: 'files.pack-tar',
    programs: ['tar'],
    written: TAR_PACKS,
    reads: true,
    class: 'config-mutation',
    needs: ['edit_repo'],
    target: { kind: 'path', only: 0 },
    writes: 'target',
    examples: [['tar', 'czf', 'a.tgz', 'src']],
    notExamples: [
      ['tar', 'xzf', 'a.tgz', 'src'],
      ['tar', 'czf', 'a.tgz', '@b.tar'],
      ['tar', 'czf', 'a.tgz', '-C', '/', 'etc'],
    ],
  },
  {
    ...UNPACKS,
    name: 'files.unpack-tar',
    needs: ['destructive', 'edit_repo'],
    programs: ['tar'],
    writtenNot: TAR_KEEPS,
    examples: [
      ['tar', 'xf', 'a.tar'],
      ['tar', 'czf', 'a.tgz', '--checkpoint-action=exec=id', 'src'],
    ],
    notExamples: [
      ['tar', 'tf', 'a.tar'],
      ['tar', 'czf', 'a.tgz', 'src'],
    ],
  },
  {
    ...LOOKS,
    name: 'files.list-zip',
    programs: ['unzip'],
    written: ZIP_LISTS,
    examples: [
      ['unzip', '-l', 'a.zip'],
      ['unzip', '-p', 'a.zip', 'x'],
    ],
    notExamples: [
      ['unzip', 'a.zip'],
      ['unzip', '-o', 'a.zip'],
      ['unzip', '-lo', 'a.zip'],
      ['unzip', '-l', 'a.zip', '-d', '/x'],
    ],
  },
  {
    ...UNPACKS,
    name: 'files.unpack-zip',
    programs: ['unzip'],
    writtenNot: ZIP_LISTS,
    examples: [['unzip', '-o', 'a.zip']],
    notExamples: [['unzip', '-l', 'a.zip']],
  },
  {
    ...LOOKS,
    name: 'files.stream',
    programs: PACKERS,
    written: STREAMS,
    examples: [
      ['gzip', '-dc', 'a.gz'],
      ['gunzip', '-c', 'a.gz'],
      ['xz', '-l', 'a.xz'],
      ['xz', '-tv', 'a.xz'],
      ['xz', '-d', '-tc', 'a.xz'],
    ],
    notExamples: [
      ['gzip', 'a'],
      ['xz', '-td', '.git/hooks/post-checkout.xz'],
      ['bzip2', '-t', '-d', 'a.bz2'],
      ['zstd', '-dl', 'a.zst'],
      ['xz', '-ld', 'a.xz'],
      ['gunzip', 'a.gz'],
      ['zstd', '-c', '-o', '/etc/x', 'a'],
    ],
  },
  {
    ...UNPACKS,
    name: 'files.pack',
    programs: PACKERS,
    writtenNot: STREAMS,
    examples: [
      ['gzip', 'a'],
      ['zstd', '-d', 'a.zst'],
    ],
    notExamples: [['gzip', '-dc', 'a.gz']],
  },
  {
    ...UNPACKS,
    name: 'files.unpack',
    programs: wordList('cpio patch zip'),
    examples: [['patch', '-p1', '-i', 'x']],
    notExamples: [['cat', 'a.tar']],
  },
];
