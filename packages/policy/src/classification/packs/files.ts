import type { RulePack } from '../types.ts';
import { ARCHIVES } from './files-archives.ts';
import { FILE_MAKES } from './files-makes.ts';
import { FILE_RIGHTS } from './files-rights.ts';
import { optionNames, SAYS, wordList } from './option-names.ts';

const DISK_TOOLS = wordList(
  'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap wipefs blkdiscard fdisk sfdisk cfdisk gdisk sgdisk parted pvremove vgremove lvremove zpool zfs cryptsetup mdadm hdparm badblocks debugfs resize2fs',
);

const TRIED = '-[acghiklmoprtuvxzDHLPAX]+|--(?:delete|stats|progress|itemize-changes|human-readable|exclude=[^\\n…]+)';
/** `rsync` that only says what it would do. */
const TRIES = new RegExp(
  `^(?:\\n(?:${TRIED}))*\\n(?:-[acghiklmoprtuvxzDHLPAX]*n[acghiklmnoprtuvxzDHLPAX]*|--dry-run|--list-only)(?:\\n(?:${TRIED})|\\n(?!-)[^\\n:…]+|\\n[\\w.@-]+:[\\w./:@~+,=%-]*)*$`,
);
/** Lists what is mounted. */
const MOUNTED = /^(?:\n-l)?$/;
const SWAPS = /^\n(?:-s|--show|--summary)$/;

const NAME = '(?:\\/(?!\\.{1,2}(?:\\/|\\n|$))[\\w@+.-]+)';
const MOUNT_OPTION =
  '(?:ro|rw|noexec|exec|nosuid|nodev|remount|defaults|noatime|relatime|sync|(?:uid|gid|size|umask)=\\w+)';
const MOUNT_OPTIONS = `(?:\\n-[rwvnf]+|\\n-t\\n(?:ext[234]|xfs|btrfs|vfat|exfat|iso9660|tmpfs|squashfs|proc|sysfs)|\\n-o\\n${MOUNT_OPTION}(?:,${MOUNT_OPTION})*)*`;
/**
 * What stands in the table of the machine, or a device on a folder that is there for that: on another one what it holds would be
 * started in place of the programs, or obeyed in place of the settings, that were there.
 */
const MOUNTS = new RegExp(
  // Each part may take options that another could: of more arguments it would take too long to say.
  `^(?!(?:\\n[^\\n]*){33})(?:${MOUNT_OPTIONS}(?:\\n\\/?|\\n(?:LABEL|UUID)=[\\w-]+|\\n${NAME}+)?${MOUNT_OPTIONS}|${MOUNT_OPTIONS}\\n(?:\\/dev${NAME}+|(?:LABEL|UUID)=[\\w-]+|tmpfs|none)\\n\\/(?:mnt|media|run\\/media|data|backup)${NAME}*\\/?${MOUNT_OPTIONS})$`,
);

/** Removing and writing files, and disks. */
export const filesPack: RulePack = {
  topic: 'files',
  programs: [
    {
      names: ['rm', 'unlink', 'rmdir', 'srm'],
      answers: SAYS,
      // `rmdir -p` takes the folders above away as well.
      elsewhere: ['-p', '--parents'],
      flags: optionNames(
        'rRfiIdvxPzp',
        '--recursive --force --interactive --verbose --dir --one-file-system --preserve-root --parents --ignore-fail-on-non-empty',
      ),
    },
    {
      names: ['shred'],
      answers: SAYS,
      flags: optionNames('ufvxz', '--remove --force --verbose --exact --zero'),
      valued: optionNames('ns', '--iterations --size'),
    },
    {
      names: ['truncate'],
      answers: SAYS,
      valued: optionNames('sr', '--size --reference'),
      flags: optionNames('co', '--no-create --io-blocks'),
    },
    { names: ['tee'], answers: SAYS, flags: optionNames('aip', '--append --ignore-interrupts --output-error') },
    { names: ['dd'], answers: SAYS },
    { names: DISK_TOOLS },
    {
      names: ['cp', 'mv', 'ln'],
      answers: SAYS,
      flags: optionNames(
        'abdfHiIlLnprRsTuvxPZ',
        '--archive --backup --force --interactive --link --symbolic --symbolic-link --dereference --no-dereference --no-clobber --no-target-directory --parents --preserve --recursive --reflink --relative --remove-destination --strip-trailing-slashes --update --verbose --one-file-system --attributes-only',
      ),
      valued: optionNames('tS', '--target-directory --suffix --no-preserve --sparse'),
      elsewhere: optionNames('tS', '--target-directory --suffix'),
    },
    {
      names: ['install'],
      answers: SAYS,
      flags: optionNames(
        'bcCdDpsTvZ',
        '--backup --compare --directory --preserve-timestamps --strip --no-target-directory --verbose',
      ),
      valued: optionNames('gmotS', '--group --mode --owner --target-directory --suffix'),
      elsewhere: optionNames('tS', '--target-directory --suffix'),
    },
    {
      names: ['rsync'],
      answers: [...SAYS, '-V'],
      flags: optionNames(
        '0468acdghiklnopqrtuvxyzAbCDEHIJKLmNOPRSUWX',
        '--archive --recursive --verbose --quiet --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --dry-run --list-only --progress --stats --human-readable --compress --checksum --update --partial --inplace --append --links --copy-links --copy-unsafe-links --safe-links --perms --no-perms --times --no-times --omit-dir-times --owner --no-owner --group --no-group --numeric-ids --ignore-existing --existing --ignore-times --itemize-changes --one-file-system --size-only --whole-file --backup --prune-empty-dirs --relative --no-relative --hard-links --acls --xattrs --sparse --mkpath --ignore-errors --force --cvs-exclude',
      ),
      valued: wordList(
        '--exclude --include --max-size --min-size --bwlimit --timeout --contimeout --info --max-delete --chmod',
      ),
    },
    { names: ['scp'], flags: optionNames('346BCpqrRTv'), valued: optionNames('lPc') },
    { names: ['sftp'] },
    { names: ['mkdir'], answers: SAYS, flags: optionNames('pvZ', '--parents --verbose'), valued: ['-m', '--mode'] },
    {
      names: ['touch'],
      answers: SAYS,
      flags: optionNames('acmhf', '--no-create --no-dereference'),
      valued: optionNames('dtr', '--date --time --reference'),
    },
    {
      names: ['mktemp'],
      answers: SAYS,
      flags: optionNames('dqtu', '--directory --quiet --dry-run --tmpdir'),
      valued: ['-p', '--suffix'],
    },
    {
      names: ['chmod'],
      answers: SAYS,
      // The mode of `chmod -x a` is letters as well.
      flags: optionNames('RvfcrwxXst', '--recursive --verbose --quiet --silent --changes --preserve-root'),
      valued: ['--reference'],
    },
    {
      names: ['chown', 'chgrp'],
      answers: SAYS,
      flags: optionNames(
        'RvfchHLP',
        '--recursive --verbose --quiet --silent --changes --no-dereference --dereference --preserve-root',
      ),
      valued: ['--from', '--reference'],
    },
    {
      names: ['setfacl'],
      flags: optionNames('bkdRLPn', '--remove-all --remove-default --default --recursive'),
      valued: optionNames('mx', '--modify --remove'),
    },
    { names: ['chattr'], flags: optionNames('RVfaAcCdDeFijmPsStTux') },
    { names: ['setcap'], flags: optionNames('rqvh'), valued: ['-n'] },
    { names: ['setfattr'], flags: ['-h'], valued: optionNames('nvx', '--name --value --remove') },
    {
      names: ['tar'],
      answers: SAYS,
      bare: true,
      flags: optionNames(
        'cxtrufvzjJZpkmhPSOUWdloC',
        '--create --extract --get --list --append --update --verbose --gzip --gunzip --bzip2 --xz --zstd --auto-compress --keep-old-files --skip-old-files --keep-newer-files --overwrite --preserve-permissions --same-permissions --no-same-permissions --same-owner --no-same-owner --numeric-owner --exclude-vcs --dereference --wildcards --no-recursion --one-file-system --totals --to-stdout --absolute-names --sparse --touch --version --help',
      ),
      // Not the letters: those of the first word take what stands behind all of it, one after the other.
      valued: wordList('--strip-components --exclude --directory --sort --mtime --owner --group --mode'),
    },
    { names: ['unzip', 'zip'], answers: ['-v', '--help', '-h'], flags: optionNames('0123456789odqlvtnujxaCLrmeyp') },
    {
      names: ['gzip', 'gunzip', 'bzip2', 'xz', 'zstd'],
      answers: SAYS,
      flags: optionNames(
        '0123456789dkfqvclrtnNez',
        '--keep --compress --decompress --force --stdout --best --fast --recursive --test --verbose --quiet --rm --long --list',
      ),
      valued: ['-o', '--threads'],
    },
    {
      names: ['cpio'],
      flags: optionNames('iopdmuvt0cBL', '--extract --create --list --verbose --quiet'),
      valued: ['-H'],
    },
    {
      names: ['patch'],
      answers: SAYS,
      flags: optionNames('RNsftEblu', '--dry-run --reverse --forward --silent --quiet --force --backup --verbose'),
      valued: optionNames('pidForzB', '--strip'),
    },
    { names: ['mount'], answers: [...SAYS, '-V', '-h'] },
    {
      names: ['umount', 'swapon', 'swapoff', 'sync'],
      flags: optionNames('aflnrvRde', '--all --force --lazy --recursive --verbose --data --file-system'),
    },
    { names: ['fsck'], flags: optionNames('AVyNpafMPRsnv') },
  ],
  rules: [
    {
      name: 'files.remove',
      programs: ['rm', 'unlink', 'rmdir', 'shred', 'srm'],
      class: 'destructive',
      needs: ['destructive'],
      target: { kind: 'path' },
      examples: [
        ['rm', '-rf', '/srv/data'],
        ['rm', 'a', 'b'],
        ['unlink', 'x'],
        ['shred', '-u', 'x'],
      ],
      notExamples: [['ls', 'rm']],
    },
    {
      name: 'files.truncate',
      programs: ['truncate'],
      class: 'destructive',
      needs: ['destructive'],
      target: { kind: 'path' },
      examples: [['truncate', '-s', '0', 'a']],
      notExamples: [['touch', 'a']],
    },
    {
      name: 'files.tee',
      programs: ['tee'],
      class: 'config-mutation',
      needs: ['edit_repo'],
      target: { kind: 'path' },
      writes: 'target',
      examples: [
        ['tee', '/etc/motd'],
        ['tee', '-a', 'x'],
      ],
      notExamples: [['cat', '/etc/motd']],
    },
    {
      name: 'files.disk-copy',
      programs: ['dd'],
      operand: /^of=/,
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      target: { kind: 'path', prefix: 'of=' },
      examples: [['dd', 'if=/dev/zero', 'of=/dev/sdb']],
      notExamples: [['dd', 'if=/dev/zero', 'count=1']],
    },
    {
      name: 'files.disk-read',
      programs: ['dd'],
      writtenNot: /\nof=/,
      class: 'read',
      needs: ['inspect_disk'],
      examples: [['dd', 'if=a', 'count=1']],
      notExamples: [['dd', 'if=a', 'of=b']],
    },
    {
      name: 'files.disk-read-file',
      programs: ['dd'],
      operand: /^if=(?!\/dev\/(?:zero|null|u?random)$)/,
      class: 'read',
      needs: ['read_files'],
      examples: [['dd', 'if=/etc/shadow', 'count=1']],
      notExamples: [['dd', 'if=/dev/zero', 'count=1']],
    },
    {
      name: 'files.disk',
      programs: DISK_TOOLS,
      class: 'destructive',
      // Some run a program of a kind of file system, or commands of a file, by an option that another reads otherwise.
      needs: ['destructive', 'edit_system', 'shell'],
      target: { kind: 'path' },
      examples: [
        ['mkfs.ext4', '/dev/sdb1'],
        ['wipefs', '-a', '/dev/sdb'],
        ['zpool', 'destroy', 'tank'],
      ],
      notExamples: [['lsblk']],
    },
    {
      name: 'files.move',
      programs: ['mv'],
      reads: true,
      class: 'config-mutation',
      needs: ['edit_repo'],
      target: { kind: 'path', into: true },
      writes: 'target',
      examples: [['mv', 'a', 'b']],
      notExamples: [['cp', 'a', 'b']],
    },
    {
      name: 'files.copy',
      programs: ['cp', 'ln', 'install'],
      reads: true,
      class: 'config-mutation',
      needs: ['edit_repo'],
      target: { kind: 'path', last: true, into: true },
      writes: 'target',
      examples: [
        ['cp', 'a', '/etc/passwd'],
        ['ln', '-sf', 'a', 'b'],
      ],
      notExamples: [['mv', 'a', 'b']],
    },
    {
      name: 'files.send',
      programs: ['rsync', 'scp'],
      // What lies at the other end, and is overwritten or deleted there, is not seen from here; a shell there may read the path.
      plainOperands: /^(?:[^:]*|[\w.@-]*:[\w./:@~+,=%-]*)$/,
      writtenNot: TRIES,
      reads: true,
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [
        ['rsync', '-a', '--delete', 'a/', 'b/'],
        ['scp', 'a', 'host:b'],
      ],
      notExamples: [
        ['sftp', 'db'],
        ['rsync', '-an', 'a/', 'b/'],
      ],
    },
    {
      name: 'files.send-nothing',
      programs: ['rsync'],
      written: TRIES,
      class: 'read',
      needs: ['read_files', 'use_network'],
      examples: [
        ['rsync', '-avn', '--delete', 'a/', 'host:b/'],
        ['rsync', '-a', '--dry-run', 'a/', 'b/'],
      ],
      notExamples: [
        ['rsync', '-a', 'a/', 'b/'],
        ['rsync', '-an', '-e', './p', 'a/', 'host:b/'],
        ['rsync', '-an', '--log-file=x', 'a/', 'b/'],
      ],
    },
    {
      name: 'files.install-folders',
      programs: ['install'],
      // All of them are made, and none is read.
      options: ['-d', '--directory'],
      class: 'config-mutation',
      needs: ['edit_repo'],
      writes: { from: 0 },
      examples: [['install', '-d', '/etc/cron.d', 'b']],
      notExamples: [['install', '-D', 'a', 'b']],
    },
    ...FILE_MAKES,
    ...FILE_RIGHTS,
    ...ARCHIVES,
    {
      name: 'files.unmount',
      programs: ['umount', 'swapoff', 'sync'],
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [['umount', '/mnt']],
      notExamples: [['df']],
    },
    {
      name: 'files.swap',
      programs: ['swapon'],
      writtenNot: SWAPS,
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [['swapon', '-a']],
      notExamples: [['swapon', '--show']],
    },
    {
      name: 'files.mend-disk',
      programs: ['fsck'],
      // What does not fit together is cut off.
      class: 'destructive',
      needs: ['destructive', 'edit_system'],
      examples: [['fsck', '-y', '/dev/sdb1']],
      notExamples: [['df']],
    },
    {
      name: 'files.mount',
      programs: ['mount'],
      // A file system may be a program, and its settings name one; an image may hold programs that run as root for anybody.
      plain: MOUNTS,
      writtenNot: MOUNTED,
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [
        ['mount', '/dev/sdb1', '/mnt'],
        ['mount', '-o', 'bind', 'x', '/usr/bin'],
        ['mount', '-t', 'fuse.sshfs', '-o', 'ssh_command=./p', 'a:', '/mnt'],
      ],
      notExamples: [['mount']],
    },
    {
      name: 'files.mounted',
      programs: ['mount'],
      written: MOUNTED,
      class: 'read',
      needs: ['inspect_disk'],
      examples: [['mount'], ['mount', '-l']],
      notExamples: [['mount', '-a']],
    },
    {
      name: 'files.swap-list',
      programs: ['swapon'],
      written: SWAPS,
      class: 'read',
      needs: ['inspect_disk'],
      examples: [['swapon', '--show']],
      notExamples: [['swapon', '-a']],
    },
    {
      name: 'files.send-commands',
      programs: ['sftp'],
      // What it is given runs here too, behind an exclamation mark.
      class: 'destructive',
      needs: ['destructive', 'shell', 'use_network'],
      examples: [['sftp', 'db']],
      notExamples: [['scp', 'a', 'b:c']],
    },
  ],
};
