import type { RulePack } from '../types.ts';
import { wordList } from './option-names.ts';

/**
 * Words of some shell that run, set or evaluate what they are given, or change what names, patterns and errors mean: a name may hold the
 * subscript of a list, which is evaluated with every command in it, and what is set may decide what runs next.
 */
const UNDECIDED = wordList(
  '. source eval trap coproc repeat foreach select noglob nocorrect - emulate sched alias unalias hash unhash rehash enable disable autoload functions unfunction zmodload declare typeset local private export readonly unset integer float nameref compound enum read mapfile readarray getopts vared getln let (( [[ print shopt setopt unsetopt bind bindkey complete compgen compopt fc hist history jobs fg bg disown suspend pushd popd dirs caller logout bye times redirect namespace newgrp unlimit zcompile zle zstyle zformat zparseopts zpty ztcp zftp zsocket zsystem zf_rm zf_mv zf_ln zf_chmod',
);
const COUNTED = ['exit', 'return', 'break', 'continue', 'shift'];

/** Texts go where a format says; a number is evaluated by some shells, and `-v` and `%n` set a variable. */
const PRINTS_TEXTS = /^(?:\n--)?\n(?!-)(?:[^%…\n]|%%|%-?\d*(?:\.\d+)?[sbcq])*(?:\n.*)*$/;
const PRINTS_NUMBERS =
  /^(?:\n--)?\n(?!-)(?:[^%…\n]|%%|%[-+ #0]*(?:[1-9]\d*)?(?:\.\d+)?[sbcqdiouxXeEfgG])*(?:\n[-+]?\d+(?:\.\d+)?)*$/;
/** One question about a file, texts, or numbers that are written out. */
const ASKS =
  /^(?:\n!)?(?:\n-[abcdefghknprsuwxzGLNOS]\n[^…\n]*|\n(?!-)[^…\n]*(?:\n(?:==?|!=|-nt|-ot|-ef)\n[^…\n]*)?|\n[-+]?\d+\n-(?:eq|ne|lt|le|gt|ge)\n[-+]?\d+)?$/;

/** What a shell does itself. Every other call of these words is undecided. */
export const shellPack: RulePack = {
  topic: 'shell',
  programs: [
    { names: UNDECIDED, evaluates: true },
    { names: ['printf', 'test', '[', 'set', 'umask', 'ulimit', 'wait', ...COUNTED], evaluates: true },
  ],
  rules: [
    {
      name: 'shell.print',
      programs: ['printf'],
      written: PRINTS_TEXTS,
      anyArguments: true,
      class: 'read',
      needs: [],
      examples: [
        ['printf', '%s\\n', 'a', '-v'],
        ['printf', '--', '100%%', 'a[$(x)]'],
      ],
      notExamples: [
        ['printf', '-v', 'a[$(x)]', 'b'],
        ['printf', '%d', 'a[$(x)]'],
        ['printf', '%n', 'a'],
        ['printf', 'a\n%d', 'b'],
      ],
    },
    {
      name: 'shell.print-numbers',
      programs: ['printf'],
      written: PRINTS_NUMBERS,
      class: 'read',
      needs: [],
      examples: [['printf', '%05.1f %d\\n', '1.5', '-2']],
      notExamples: [
        ['printf', '%d', 'a'],
        ['printf', '%*d', '1', '2'],
      ],
    },
    {
      name: 'shell.test',
      programs: ['test'],
      written: ASKS,
      class: 'read',
      needs: [],
      examples: [
        ['test', '-f', 'a'],
        ['test', '!', '-d', 'a b'],
        ['test', 'a', '=', 'b'],
        ['test', '1', '-lt', '2'],
      ],
      notExamples: [
        ['test', '-v', 'a[$(x)]'],
        ['test', '1', '-eq', 'a[$(x)]'],
        ['test', '-t', 'a'],
        ['test', '-R', 'a'],
        ['test', '-f', 'a', '-o', '-v', 'b'],
      ],
    },
    {
      name: 'shell.counted',
      programs: COUNTED,
      written: /^(?:\n\d{1,3})?$/,
      class: 'read',
      needs: [],
      examples: [['exit'], ['exit', '1'], ['shift', '2']],
      notExamples: [['exit', 'a[$(x)]']],
    },
    {
      name: 'shell.settings',
      programs: ['set'],
      written:
        /^(?:\n[-+][euxvfnC]+|\n[-+][euxvfnC]*o\n(?:errexit|nounset|pipefail|xtrace|verbose|noglob|noclobber|noexec))*$/,
      class: 'read',
      needs: [],
      examples: [['set', '-e'], ['set', '-euo', 'pipefail'], ['set']],
      notExamples: [
        ['set', '-A', 'a[$(x)]', 'b'],
        ['set', '-o', 'allexport'],
        ['set', '--', 'a'],
      ],
    },
    {
      name: 'shell.variables',
      programs: ['set'],
      written: /^$/,
      class: 'read',
      needs: ['inspect_status'],
      examples: [['set']],
      notExamples: [['set', '-e']],
    },
    {
      name: 'shell.mask',
      programs: ['umask'],
      written: /^(?:\n-[Sp])?(?:\n[0-7]{1,4}|\n[ugoa]*[-+=][rwx]*(?:,[ugoa]*[-+=][rwx]*)*)?$/,
      class: 'read',
      needs: [],
      examples: [['umask', '077'], ['umask']],
      notExamples: [['umask', 'a[$(x)]']],
    },
    {
      name: 'shell.limits',
      programs: ['ulimit'],
      written: /^(?:\n-[A-Za-z]+)*(?:\n(?:\d{1,12}|unlimited|hard|soft))?$/,
      class: 'read',
      needs: [],
      examples: [['ulimit', '-n', '1024'], ['ulimit']],
      notExamples: [['ulimit', '-n', 'a[$(x)]']],
    },
    {
      name: 'shell.wait',
      programs: ['wait'],
      written: /^(?:\n-[nf]+)*(?:\n%?\d+)*$/,
      class: 'read',
      needs: [],
      examples: [['wait'], ['wait', '-n', '12']],
      notExamples: [
        ['wait', '-p', 'a[$(x)]', '1'],
        ['wait', '-n', '-p', 'PATH'],
      ],
    },
  ],
};
