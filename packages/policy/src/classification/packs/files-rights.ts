import type { BuiltInRule } from '../types.ts';

/** A mode that lets nobody act as somebody else, and keeps others from writing. No text fits two of its readings: it would be tried in each. */
const MODE = '(?:0?[0-7]{2}[0145]|SYMBOLIC(?:,SYMBOLIC)*)'.replaceAll(
  'SYMBOLIC',
  '(?:[ug]+(?:[+=][rwxX]*|-[rwxXst]*)|[ug]*[oa][ugoa]*(?:[+=][rxX]*|-[rwxXst]*)|(?:\\+[rwxX]*|=[rxX]*|-[rwxXst]*))',
);
const OWN_MODE = new RegExp(`^(?:\\n-[Rvcf]+|\\n--recursive)*\\n${MODE}(?:\\n(?:-[Rvcf]+|(?!-)[^\\n]*))*$`);
const OPEN_MODE = new RegExp(`^(?!${MODE}$)`);
/** Takes rights away, or gives what a mode could: `named` is what somebody may do who is named. */
const listed = (named: string): RegExp => {
  const entry = `(?:(?:d|default):)?(?:(?:u|user|g|group)::[rwxX-]+|(?:u|user|g|group):[\\w.-]+:${named}+|(?:o|other)::?[rxX-]+)`;
  return new RegExp(
    `^(?:\\n-[RLPbkdn]+|\\n--(?:recursive|remove-all|remove-default|default)|\\n(?:-x|--remove)\\n(?!-)[^\\n]+|\\n(?:-m|--modify)\\n${entry}(?:,${entry})*)*(?:\\n(?!-)[^\\n]+)*$`,
  );
};
const OWN_RIGHTS = listed('[rxX-]');
const NAMED_RIGHTS = listed('[rwxX-]');

/** Rules about who may read, write and run a file, and as whom. */
export const FILE_RIGHTS: readonly BuiltInRule[] = [
  {
    name: 'files.make-open',
    programs: ['mkdir', 'install'],
    value: { of: ['-m', '--mode'], matches: OPEN_MODE },
    class: 'destructive',
    needs: ['destructive', 'edit_repo'],
    examples: [
      ['mkdir', '-m', '1777', 'a'],
      ['mkdir', '--mode=o+w', 'a'],
      ['install', '-m', '4755', 'a', 'b'],
    ],
    notExamples: [
      ['mkdir', '-m', '755', 'a'],
      ['mkdir', '-p', 'a'],
    ],
  },
  {
    name: 'files.mode',
    programs: ['chmod'],
    written: OWN_MODE,
    class: 'config-mutation',
    needs: ['edit_repo'],
    // Nobody knows the modes any more that were there, and some of them kept everybody out, or let everybody in.
    writes: { from: 0, light: true },
    examples: [
      ['chmod', '644', 'a'],
      ['chmod', '-R', 'u+rwX,go-w', 'a'],
      ['chmod', '-x', 'a'],
    ],
    notExamples: [
      ['chmod', '4755', 'a'],
      ['chmod', '666', 'a'],
    ],
  },
  {
    name: 'files.mode-open',
    programs: ['chmod'],
    // Whoever runs the file acts as its owner, everybody may write it, or nobody knows.
    writtenNot: OWN_MODE,
    class: 'destructive',
    needs: ['destructive', 'edit_repo'],
    examples: [
      ['chmod', '4755', 'a'],
      ['chmod', 'u+s', 'a'],
      ['chmod', 'a=rwx', 'a'],
      ['chmod', 'o=u', 'a'],
      ['chmod', '-R', '777', '.'],
      ['chmod', '--reference=b', 'a'],
    ],
    notExamples: [
      ['chmod', '0755', 'a'],
      ['chmod', 'o-w', 'a'],
    ],
  },
  {
    name: 'files.owner',
    programs: ['chown', 'chgrp'],
    // Whoever owns a file writes it, and says who else does. To root nobody is let in.
    firstNot: /^(?:root|0)?(?::(?:root|0)?)?$/,
    class: 'config-mutation',
    needs: ['edit_system'],
    writes: { from: 0 },
    examples: [
      ['chown', 'x', 'a'],
      ['chown', '--from', 'root', 'x', 'a'],
    ],
    notExamples: [['chown', 'root:root', 'a']],
  },
  {
    name: 'files.owner-root',
    programs: ['chown', 'chgrp'],
    first: /^(?:root|0)?(?::(?:root|0)?)?$/,
    except: ['--reference'],
    class: 'config-mutation',
    needs: ['edit_system'],
    examples: [['chown', 'root:root', 'a']],
    notExamples: [
      ['chown', 'x', 'a'],
      ['chown', '--from', 'root', 'nobody', '/etc/shadow'],
      ['chgrp', '--from', '0', 'x', 'a'],
    ],
  },
  {
    name: 'files.list-rights',
    programs: ['setfacl'],
    written: OWN_RIGHTS,
    class: 'config-mutation',
    needs: ['edit_system'],
    examples: [
      ['setfacl', '-b', 'a'],
      ['setfacl', '-R', '-m', 'u:x:r-x', 'a'],
    ],
    notExamples: [['setfacl', '-m', 'o::rw', 'a']],
  },
  {
    name: 'files.list-rights-named',
    programs: ['setfacl'],
    // As a new owner.
    written: NAMED_RIGHTS,
    writtenNot: OWN_RIGHTS,
    class: 'config-mutation',
    needs: ['edit_system'],
    writes: { from: 0 },
    examples: [['setfacl', '-m', 'u:x:rwx', 'a']],
    notExamples: [['setfacl', '-m', 'u:x:r', 'a']],
  },
  {
    name: 'files.list-rights-open',
    programs: ['setfacl'],
    // Whoever there is may write, or nobody knows.
    writtenNot: NAMED_RIGHTS,
    class: 'destructive',
    needs: ['destructive', 'edit_system'],
    examples: [
      ['setfacl', '-m', 'o::rw', '/etc/shadow'],
      ['setfacl', '--restore=x'],
    ],
    notExamples: [['setfacl', '-x', 'u:x', 'a']],
  },
  {
    name: 'files.attributes',
    programs: ['chattr'],
    class: 'config-mutation',
    needs: ['edit_system'],
    examples: [['chattr', '+i', 'a']],
    notExamples: [['chmod', '644', 'a']],
  },
  {
    name: 'files.rights',
    programs: ['setcap', 'setfattr'],
    // A program that holds rights gives them to whoever runs it.
    class: 'destructive',
    needs: ['destructive', 'edit_system'],
    examples: [['setcap', 'cap_setuid+ep', 'a']],
    notExamples: [['getcap', 'a']],
  },
];
