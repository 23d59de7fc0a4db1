import type { RulePack } from '../types.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';
import { READING_TEXTS } from './reading-texts.ts';

/** No option of these writes a file, or runs or loads anything. */
const LOOKERS = wordList(
  'cat head tail wc ls stat du grep egrep fgrep cut tr cmp comm md5sum sha1sum sha256sum sha512sum cksum readlink realpath nl tac rev od paste fold join expand unexpand hexdump',
);
const COMPUTES = wordList('true false echo pwd cd sleep basename dirname seq expr :');
/** What find does besides finding. */
const FIND_ACTS = ['-delete', '-fprint', '-fprint0', '-fprintf', '-fls'];
/** `-5`, and the digits of `-U5`. */
const DIGITS = '0123456789';

/** Looking at files and texts. */
export const readingPack: RulePack = {
  topic: 'reading',
  programs: [
    { names: [...LOOKERS, ...COMPUTES] },
    { names: ['less', 'more', 'diff3', 'sdiff'], answers: SAYS },
    { names: ['zcat', 'bzcat', 'xzcat'], flags: optionNames('fdcvqt') },
    { names: ['zgrep'], flags: optionNames('ivnclEFowhHqsx0123456789'), valued: optionNames('emABC') },
    { names: ['base64'], flags: optionNames('dDi', '--decode --ignore-garbage'), valued: ['-w', '--wrap'] },
    // Another writes the page of each folder.
    {
      names: ['tree'],
      flags: optionNames('adfhspugDFrtUcvxliCnNqQJX', '--noreport --dirsfirst --filesfirst --du --prune --gitignore'),
      valued: optionNames('LIP', '--filelimit --sort'),
      nextOnly: true,
    },
    // It knows an option by how its word begins, and a number may be a part of that.
    {
      names: ['xxd'],
      singleDash: true,
      operandsEnd: true,
      flags: wordList('-a -b -e -E -i -p -ps -plain -u -C'),
      valued: wordList('-c -cols -g -groupsize -l -len -s -seek -o -n -name'),
    },
    {
      names: ['file'],
      answers: SAYS,
      flags: optionNames('bikhLNprs0', '--brief --mime --mime-type --mime-encoding --dereference --version'),
      valued: ['-F', '--separator'],
    },
    {
      names: ['diff'],
      answers: SAYS,
      flags: optionNames(
        `uaNrqbBiwycptTsEd${DIGITS}`,
        '--brief --recursive --unified --context --side-by-side --color --new-file --ignore-all-space --text --minimal',
      ),
      valued: optionNames('xILWCU', '--exclude --label --width'),
    },
    {
      names: ['jq'],
      answers: SAYS,
      flags: optionNames(
        'rscnSMCjaeR',
        '--raw-output --compact-output --slurp --null-input --sort-keys --exit-status --tab --raw-input --arg --argjson --args',
      ),
      valued: ['--indent'],
    },
    { names: ['column'], flags: optionNames('txeJ', '--table --json'), valued: optionNames('socN', '--separator') },
    { names: ['which', 'type'], flags: optionNames('a', '--all') },
    {
      names: ['sort'],
      answers: SAYS,
      valued: optionNames('ktSo', '--key --field-separator --output'),
      flags: optionNames(
        'nruhbfdgiMRVCcszm',
        '--numeric-sort --reverse --unique --human-numeric-sort --ignore-case --version-sort --stable --check',
      ),
    },
    // The second operand is written, and to some of it an option behind the first is one.
    {
      names: ['uniq'],
      operandsEnd: true,
      flags: optionNames('cduiDz', '--count --repeated --unique'),
      valued: optionNames('fsw'),
    },
    {
      names: ['find', 'gfind'],
      singleDash: true,
      expression: true,
      flags: optionNames(
        'HLPEXx',
        '-print -print0 -ls -prune -quit -empty -readable -writable -executable -nouser -nogroup -true -false -not -and -or -a -o -depth -d -xdev -mount -follow -daystart -noleaf -warn -nowarn -delete',
      ),
      valued: optionNames(
        '',
        '-name -iname -path -ipath -wholename -regex -iregex -lname -ilname -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -maxdepth -mindepth -user -group -uid -gid -perm -links -inum -samefile -fstype -used -printf -regextype -newermt -fprint -fprint0 -fprintf -fls',
      ),
    },
    {
      names: ['rg'],
      answers: SAYS,
      flags: optionNames(
        `nilcvwSsuFxoaHhNLUP${DIGITS}`,
        '--files --hidden --no-ignore --json --stats --count --files-with-matches --ignore-case --smart-case --multiline --heading --no-heading --line-number --vimgrep --type-list --pcre2 --follow --fixed-strings --word-regexp',
      ),
      valued: optionNames(
        'egtTABCmj',
        '--glob --iglob --type --max-count --context --after-context --before-context --color --sort',
      ),
    },
    {
      names: ['sed', 'gsed'],
      flags: optionNames('nErsuzi', '--in-place --quiet --silent --regexp-extended --posix --null-data --separate'),
      valued: ['-e', '-f', '--expression'],
      answers: SAYS,
    },
    {
      names: ['awk', 'gawk', 'mawk'],
      flags: ['--posix'],
      answers: SAYS,
      valued: ['-F', '-v', '-f', '--field-separator', '--assign'],
    },
  ],
  rules: [
    {
      name: 'reading.answer',
      programs: COMPUTES,
      class: 'read',
      needs: [],
      anyArguments: true,
      examples: [['true'], ['false'], ['echo', 'a', '-n'], ['pwd']],
      notExamples: [['truee'], ['sh']],
    },
    {
      name: 'reading.look',
      programs: LOOKERS,
      class: 'read',
      needs: ['read_files'],
      anyArguments: true,
      examples: [
        ['ls', '-la', '/etc'],
        ['cat', '/var/log/syslog'],
        ['grep', '-r', 'x', '.'],
        ['sha256sum', 'a'],
      ],
      notExamples: [
        ['diff3', 'a', 'b', 'c'],
        ['rm', 'a'],
      ],
    },
    {
      name: 'reading.look-known',
      programs: wordList('file diff jq column which type zcat bzcat xzcat zgrep base64 tree'),
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['file', '-b', 'a'],
        ['diff', '-U5', 'a', 'b'],
        ['jq', '-r', '.a', 'x.json'],
        ['tree', '-L', '2', 'src'],
        ['tree', '-aL', '2', 'src'],
        ['zgrep', '-i', 'x', 'a.gz'],
      ],
      notExamples: [
        ['file', '-C', '-m', 'magic'],
        ['diff', '--paginate', 'a', 'b'],
        ['jq', '--option-of-tomorrow=./x', '.'],
        ['tree', '-o', 'x'],
        ['tree', '-Lo', '2', '.git/hooks/y'],
        ['tree', '-Po', '*', 'x'],
        ['tree', '-L2', 'src'],
        ['base64', '-o', 'x'],
      ],
    },
    {
      name: 'reading.environment',
      programs: ['jq'],
      // It prints the variables of the node, or a file that it takes in may.
      operand: /\benv\b|\$ENV\b|\b(?:import|include)\b/,
      class: 'read',
      needs: ['inspect_status', 'read_files'],
      examples: [
        ['jq', '-n', 'env'],
        ['jq', '-n', 'import "m" as m {search: "./"}; m::f'],
      ],
      notExamples: [['jq', '.a', 'x.json']],
    },
    {
      name: 'reading.sort',
      programs: ['sort', 'rg'],
      except: ['-o', '--output'],
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['sort', '-n', 'a'],
        ['rg', 'x', 'src'],
      ],
      notExamples: [
        ['sort', '-o', 'b', 'a'],
        ['sort', '-no', 'b', 'a'],
        ['sort', '--out=b', 'a'],
        ['rg', '--pre', 'x', 'y'],
      ],
    },
    {
      name: 'reading.sort-to',
      programs: ['sort'],
      options: ['-o', '--output'],
      class: 'config-mutation',
      needs: ['edit_repo', 'read_files'],
      target: { kind: 'path', option: '-o|--output' },
      writes: 'target',
      examples: [['sort', '-o', 'b', 'a']],
      notExamples: [['sort', 'a']],
    },
    {
      name: 'reading.uniq',
      programs: ['uniq', 'xxd'],
      most: 1,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['uniq', '-c'],
        ['uniq', 'a'],
        ['xxd', '-l', '64', 'a'],
        ['xxd', '-p', 'a'],
      ],
      notExamples: [
        ['uniq', 'a', 'b'],
        ['uniq', 'a', '-c'],
        ['xxd', '-ps', 'a', '/etc/passwd'],
        ['xxd', '-il', 'a', 'b'],
        ['xxd', '-Cs', 'a', 'b'],
        ['xxd', 'a', '-p'],
        ['xxd', 'a', '--'],
      ],
    },
    {
      name: 'reading.uniq-to',
      programs: ['uniq', 'xxd'],
      // The second is written.
      least: 2,
      class: 'config-mutation',
      needs: ['edit_repo', 'read_files', 'shell'],
      writes: { from: 1 },
      examples: [
        ['uniq', 'a', 'b'],
        ['xxd', '-r', 'a', '/etc/passwd'],
      ],
      notExamples: [['uniq', 'a']],
    },
    {
      name: 'reading.find',
      programs: ['find', 'gfind'],
      except: FIND_ACTS,
      class: 'read',
      needs: ['read_files'],
      examples: [
        ['find', '.', '-name', '*.log'],
        ['find', '/var', '-type', 'f'],
      ],
      notExamples: [
        ['find', '.', '-delete'],
        ['find', '.', '-name', '-delete'],
        ['find', '--', '.', '-delete'],
        ['find', '-H', '--', '.', '-name', 'y', '-delete'],
        ['find', '--', '.', '-fprint', '/etc/cron.d/x'],
        ['find', '.', '-fprint', '/etc/x'],
      ],
    },
    {
      name: 'reading.find-delete',
      programs: ['find', 'gfind'],
      options: FIND_ACTS,
      class: 'destructive',
      needs: ['destructive'],
      examples: [
        ['find', '.', '-delete'],
        ['find', '.', '-name', 'x', '-delete'],
        ['find', '.', '-fls', 'a'],
        ['find', '--', '.', '-delete'],
      ],
      notExamples: [['find', '.', '-name', 'delete']],
    },
    ...READING_TEXTS,
  ],
};
