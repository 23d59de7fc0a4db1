import type { BuiltInRule } from '../types.ts';

const SED = ['sed', 'gsed'];
const AWK = ['awk', 'gawk', 'mawk'];

/** One thing that stands behind a backslash, and makes neither a character nor an end of what it stands in. */
const ESCAPED = '\\\\[.*+?(){}|^$\\[\\]\\/\\\\&0-9ntsSwWbBLUlu<>"\'-]';
/** A list of characters, which has an end: versions differ on whether one that has none goes on. */
const LIST = (end: string): string => `\\[(?!\\^\\])(?:\\[:[a-z]+:\\]|[^\\]\\[\\n\\\\${end}])+\\]`;
/** A pattern, or a text in its place, up to an end that does not stand in it. */
const partOf = (end: string): string => `(?:${ESCAPED}|${LIST(end)}|[^\\n\\\\\\[${end}])*`;
const textOf = (end: string): string => `(?:${ESCAPED}|[^\\n\\\\${end}])*`;
const substitution = (end: string): string => `s${end}${partOf(end)}${end}${textOf(end)}${end}[gIip0-9]*`;
const SUBSTITUTIONS = ['/', '\\|', '#', ',', '@', ':', '!', '%'].map(substitution).join('|');
const PLACE = `(?:\\d+|\\$|\\/${partOf('/')}\\/I?)`;
const ADDRESS = `(?:${PLACE}(?:,(?:${PLACE}|\\+\\d+))?|\\d+~\\d+)`;
/** Each blank has one place: a text that ends otherwise is read once, not in every way that its blanks could be shared out. */
const STEP = ` *(?:${ADDRESS} *)?(?:! *)?(?:[pdq=]|${SUBSTITUTIONS}) *`;
/** Lines that are shown, left out or replaced: none of its steps writes a file or runs what it made. */
const SED_TEXT = `(?:${STEP})(?:;${STEP})*;?`;
const IS_SED_TEXT = new RegExp(`^(?:${SED_TEXT})$`);
const SED_FLAGS = '(?:\\n(?:-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data|--posix))*';
const SED_OPTION = `(?:\\n(?:-[nErsuz]*e|--expression)\\n${SED_TEXT}|\\n--expression=${SED_TEXT})`;
const SED_OPTIONS = new RegExp(`^${SED_FLAGS}(?:${SED_OPTION}${SED_FLAGS})+(?:\\n(?!-)[^\\n…]+)*$`);
/**
 * Where `-i` takes the next argument, which is so on some systems, the first path is read as the text: without a `w` it writes nothing.
 */
const IN_PLACE = new RegExp(
  `^${SED_FLAGS}(?:\\n--in-place(?:=\\.\\w+)?(?:\\n-[nErsz]+)*\\n${SED_TEXT}(?:\\n(?!-)[^\\n…]+)+|\\n-[nErsz]*i(?:\\n-[nErsz]+)*\\n${SED_TEXT}(?:\\n(?!-)[^\\n…wW]+)+)$`,
);
const IN_PLACE_OPTION = new RegExp(`^${SED_FLAGS}\\n-i\\n-[nErsz]*e\\n${SED_TEXT}(?:\\n(?!-)[^\\n…]+)+$`);
const KNOWN_SED = new RegExp(
  `^(?:${[SED_OPTIONS, IN_PLACE, IN_PLACE_OPTION].map(({ source }) => source.slice(1, -1)).join('|')})$`,
);

const FIELD = '(?:\\$(?:\\d+|NF)|NR|NF|FNR|"[^"\\\\\\n]*")';
const PRINTS = `\\{ ?print(?: ${FIELD}(?:(?:, ?| )${FIELD})*)? ?(?:; ?)?\\}`;
const COMPARED = `${FIELD} ?(?:==|!=|>=|<=|<|>) ?(?:\\d+(?:\\.\\d+)?|"[^"\\\\\\n]*")`;
const MATCHED = `(?:\\$(?:\\d+|NF) ?!?~ ?)?!?\\/${partOf('/')}\\/`;
const CHOSEN = `(?:${COMPARED}|${MATCHED}|END|BEGIN)(?: ?(?:&&|\\|\\|) ?(?:${COMPARED}|${MATCHED}))*`;
const SUMS = '\\{ ?([a-z]\\w*) ?\\+= ?\\$\\d+ ?(?:; ?)?\\} ?END ?\\{ ?print [a-z]\\w* ?\\}';
const FORMATS = `\\{ ?printf ?"(?:[^"\\\\\\n]|\\\\[nt])*"(?:, ?${FIELD})* ?\\}`;
/** Fields, lines that are chosen, sums and texts: nothing that writes, reads or starts anything. Each part is read in one way. */
const AWK_TEXT = new RegExp(`^ ?(?:(?:${CHOSEN}|${PRINTS}|${FORMATS}|${SUMS}|!\\w+\\[\\$\\d+\\]\\+\\+) ?)+$`);

/** Rules about programs that are given a text of a language of their own, of which the plain part is known. */
export const READING_TEXTS: readonly BuiltInRule[] = [
  {
    name: 'reading.sed-lines',
    programs: SED,
    except: ['-f', '-e', '--expression', '-i', '--in-place'],
    first: IS_SED_TEXT,
    class: 'read',
    needs: ['read_files'],
    examples: [
      ['sed', '-n', '1,5p', 'a'],
      ['sed', 's/a/b/g', 'a'],
      ['sed', '-E', 's|^(a+)/b|\\1|; /x/d', 'a'],
      ['sed', '-n', '/begin/,/end/p', 'a'],
      ['sed', '-n', '1,$ ! s/[^a]\\.[[:digit:]]//gp; 0~3 = ; q', 'a'],
    ],
    notExamples: [
      ['sed', '-i', 's/a/b/', 'a'],
      ['sed', 's/a/b/e', 'a'],
      ['sed', 's/a/b/w /etc/x', 'a'],
      ['sed', 's/[/]/b/w x', 'a'],
      ['sed', 'w /etc/x', '1p'],
    ],
  },
  {
    name: 'reading.sed-texts',
    programs: SED,
    written: SED_OPTIONS,
    class: 'read',
    needs: ['read_files'],
    examples: [
      ['sed', '-e', 's/a/b/', '-e', '1d', 'a'],
      ['sed', '-ne', '1,5p', 'a'],
    ],
    notExamples: [
      ['sed', '-e', 'w /etc/x', '1p'],
      ['sed', '-i', '-e', 's/a/b/', 'a'],
      ['sed', '-e', '1p', '-f', 'x', 'a'],
    ],
  },
  {
    name: 'reading.sed-in-place',
    programs: SED,
    written: IN_PLACE,
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { from: 1 },
    examples: [
      ['sed', '-i', 's/a/b/', 'src/x.ts'],
      ['sed', '-i', '/a/d', 'src/x.ts'],
      ['sed', '--in-place=.bak', '-E', 's/a/b/', 'src/view.ts'],
    ],
    notExamples: [
      ['sed', '-i', 's/a/b/', 'src/view.ts'],
      ['sed', '-i', '1e id', 'a'],
      ['sed', '-i', '-f', 'x', 'a'],
      ['sed', '-n', '1p', 'a'],
    ],
  },
  {
    name: 'reading.sed-in-place-option',
    programs: SED,
    written: IN_PLACE_OPTION,
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: { from: 0 },
    examples: [['sed', '-i', '-e', 's/a/b/', 'src/view.ts']],
    notExamples: [
      ['sed', '-i', '-e', 's/a/b/', '-e', 's/c/d/', 'a'],
      ['sed', '-i', '-e', '1w /etc/x', 'a'],
    ],
  },
  {
    name: 'reading.sed-in-place-other',
    programs: SED,
    options: ['-i', '--in-place'],
    // Where the text ends and the paths begin is not the same everywhere.
    writtenNot: KNOWN_SED,
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['sed', '-i', 's/a/b/', '/a/w/etc/passwd'],
      ['sed', '-i', '1e id', 'a'],
    ],
    notExamples: [['sed', '-i', 's/a/b/', 'src/x.ts']],
  },
  {
    name: 'reading.sed-program',
    programs: SED,
    // What other texts of sed do, writing files and running commands included, is not parsed here.
    firstNot: IS_SED_TEXT,
    writtenNot: KNOWN_SED,
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['sed', 'w /etc/x'],
      ['sed', '1e rm x', 'a'],
    ],
    notExamples: [
      ['sed', '1p'],
      ['sed', '-e', '1p', 'a'],
    ],
  },
  {
    name: 'reading.sed-script-option',
    programs: SED,
    options: ['-e', '-f', '--expression', '--file'],
    writtenNot: KNOWN_SED,
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [
      ['sed', '-e', 'w /etc/x', '1p'],
      ['sed', '-f', 'x', '1p'],
    ],
    notExamples: [
      ['sed', '1p'],
      ['sed', '-e', '1p'],
    ],
  },
  {
    name: 'reading.awk-fields',
    programs: AWK,
    except: ['-f'],
    first: AWK_TEXT,
    class: 'read',
    needs: ['read_files'],
    examples: [
      ['awk', '{print $1}', 'a'],
      ['awk', '-F', ':', '{print $1, $2}', 'a'],
      ['awk', 'NR>1 {print $NF}', 'a'],
      ['awk', '/x/ && $3 > 80 {print $1 "\t" $3}', 'a'],
      ['awk', '{s+=$1} END {print s}', 'a'],
      ['awk', '{ s += $1 ; } END { print s }', 'a'],
      ['awk', '$2 !~ /[^a]x/ || NR == 1.5 {print $1, "a" $2 ; } END {printf "%s\\n", NR}', 'a'],
    ],
    notExamples: [
      ['awk', '{system("rm x")}'],
      ['awk', '{print > "x"}'],
      ['awk', '{print $1 > "/etc/x"}'],
      ['awk', '{print $1 | "sh"}'],
      ['awk', '-f', 'x.awk', '{print}'],
    ],
  },
  {
    name: 'reading.awk-connects',
    programs: AWK,
    // To gawk a file of such a name is a connection, and the name of its host is looked up.
    operand: /^\/inet[46]?\//,
    class: 'read',
    needs: ['read_files', 'use_network'],
    examples: [['awk', '{print $1}', '/inet/tcp/0/example.org/80']],
    notExamples: [['awk', '{print $1}', '/srv/inet/tcp']],
  },
  {
    name: 'reading.awk-program',
    programs: AWK,
    firstNot: AWK_TEXT,
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [['awk', '{system("rm x")}']],
    notExamples: [['awk', '{print $1}']],
  },
  {
    name: 'reading.awk-file',
    programs: AWK,
    options: ['-f', '--file', '-i', '--include', '-l', '--load', '-E', '--exec'],
    class: 'destructive',
    needs: ['destructive', 'shell'],
    examples: [['awk', '-f', 'x.awk', '{print}']],
    notExamples: [['awk', '{print}']],
  },
];
