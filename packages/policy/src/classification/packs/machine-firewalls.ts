import type { BuiltInRule } from '../types.ts';
import { wordList } from './option-names.ts';

/** Rules and counters as they are: `-Z` sets them back, and `--modprobe` names a program. */
const TABLES =
  /^(?:\n-[nvxw46]+|\n--line-numbers|\n-t\n\w+)*\n-[nvx]*[LS][nvx]*(?:\n[A-Za-z][\w-]*)?(?:\n-[nvxw46]+|\n--line-numbers|\n-t\n\w+)*$/;
const NFT_LISTS = /^(?:\n-[nasj]+)*\nlist\n(?:ruleset|tables|chains|sets|(?:table|chain|set)(?:\n\w[\w-]*){1,3})$/;
const UFW_SAYS = /^\nstatus(?:\n(?:verbose|numbered))?$/;
const FIREWALLD_SAYS =
  /^(?:\n--permanent|\n--zone=[\w-]+)*\n--(?:state|list-all|list-all-zones|list-ports|list-services|get-active-zones|get-default-zone)(?:\n--permanent|\n--zone=[\w-]+)*$/;

/** Each with what looks, and with examples of looks and of changes. */
const BY_PROGRAM = [
  [['iptables', 'ip6tables'], TABLES, ['-L', '-t nat -nvL PREROUTING --line-numbers', '-S'], ['-F', '-L -Z']],
  [['nft'], NFT_LISTS, ['list ruleset', '-a list table inet filter'], ['flush ruleset', '-f x']],
  [['ufw'], UFW_SAYS, ['status', 'status verbose'], ['disable', 'allow 22']],
  [['firewall-cmd'], FIREWALLD_SAYS, ['--list-all', '--zone=public --list-ports'], ['--add-port=80/tcp']],
] as const;

/** Rules about firewalls, of which each has words of its own. */
export const FIREWALLS: readonly BuiltInRule[] = BY_PROGRAM.flatMap(
  ([programs, looks, shown, changed]): readonly BuiltInRule[] => {
    const [program] = programs;
    const examplesOf = (texts: readonly string[]) => texts.map((text) => [program, ...wordList(text)]);
    return [
      {
        name: `machine.${program}-look`,
        programs,
        written: looks,
        class: 'read',
        needs: ['inspect_network'],
        examples: examplesOf(shown),
        notExamples: examplesOf(changed),
      },
      {
        name: `machine.${program}`,
        programs,
        writtenNot: looks,
        class: 'destructive',
        needs: ['destructive', 'edit_system'],
        examples: examplesOf(changed),
        notExamples: examplesOf(shown),
      },
    ];
  },
);
