import type { RulePack } from '../types.ts';
import { optionNames, wordList } from './option-names.ts';

const DISK_TOOLS = wordList(
  'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap wipefs blkdiscard fdisk sfdisk cfdisk gdisk sgdisk parted pvremove vgremove lvremove zpool zfs cryptsetup mdadm hdparm badblocks debugfs resize2fs',
);

/** A mode that lets nobody act as somebody else, and keeps others from writing. No text fits two of its readings: it would be tried in each. */
const MODE = '(?:0?[0-7]{2}[0145]|SYMBOLIC(?:,SYMBOLIC)*)'.replaceAll(
  'SYMBOLIC',
  '(?:[ug]+(?:[+=][rwxX]*|-[rwxXst]*)|[ug]*[oa][ugoa]*(?:[+=][rxX]*|-[rwxXst]*)|(?:\\+[rwxX]*|=[rxX]*|-[rwxXst]*))',
);
const OWN_MODE = new RegExp(`^(?:\\n-[Rvcf]+|\\n--recursive)*\\n${MODE}(?:\\n(?:-[Rvcf]+|(?!-)[^\\n]*))*$`);
const OPEN_MODE = new RegExp(`^(?!${MODE}$)`);
/** A device or a folder, and a file system that is a part of the kernel, with settings that name nothing. */
const MOUNTS =
  /^(?:\n-[rwvnfBRM]+|\n-t\n(?:ext[234]|xfs|btrfs|vfat|exfat|iso9660|tmpfs|squashfs|overlay|proc|sysfs)|\n-o\n(?:(?:ro|rw|noexec|exec|nosuid|nodev|remount|r?bind|loop|defaults|noatime|relatime|sync|(?:uid|gid|size|umask)=\w+)(?:,(?!$|\n)|(?=\n|$)))+)*(?:\n(?!-)[\w./@+-]*){0,2}$/;

/** Removing and writing files, and disks. */
export const filesPack: RulePack = {
  topic: 'files',
  programs: [
    {
      names: ['rm', 'unlink', 'rmdir', 'srm'],
      // `rmdir -p` takes the folders above away as well.
      elsewhere: ['-p', '--parents'],
      flags: optionNames(
        'rRfiIdvxPzp',
        '--recursive --force --interactive --verbose --dir --one-file-system --preserve-root --parents --ignore-fail-on-non-empty',
      ),
    },
    {
      names: ['shred'],
      flags: optionNames('ufvxz', '--remove --force --verbose --exact --zero'),
      valued: optionNames('ns', '--iterations --size'),
    },
    {
      names: ['truncate'],
      valued: optionNames('sr', '--size --reference'),
      flags: optionNames('co', '--no-create --io-blocks'),
    },
    { names: ['tee'], flags: optionNames('aip', '--append --ignore-interrupts --output-error') },
    { names: ['dd'] },
    { names: DISK_TOOLS },
    {
      names: ['cp', 'mv', 'ln'],
      flags: optionNames(
        'abdfHiIlLnprRsTuvxPZ',
        '--archive --backup --force --interactive --link --symbolic --symbolic-link --dereference --no-dereference --no-clobber --no-target-directory --parents --preserve --no-preserve --recursive --reflink --relative --remove-destination --sparse --strip-trailing-slashes --update --verbose --one-file-system --attributes-only',
      ),
      valued: optionNames('tS', '--target-directory --suffix'),
      elsewhere: optionNames('tS', '--target-directory --suffix'),
    },
    {
      names: ['install'],
      flags: optionNames(
        'bcCdDpsTvZ',
        '--backup --compare --directory --preserve-timestamps --strip --no-target-directory --verbose',
      ),
      valued: optionNames('gmotS', '--group --mode --owner --target-directory --suffix'),
      elsewhere: optionNames('tS', '--target-directory --suffix'),
    },
    {
      names: ['rsync'],
      flags: optionNames(
        '0468acdghiklnopqrtuvxyzAbCDEHIJKLmNOPRSUWX',
        '--archive --recursive --verbose --quiet --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --dry-run --list-only --progress --stats --human-readable --compress --checksum --update --partial --inplace --append --links --copy-links --copy-unsafe-links --safe-links --perms --no-perms --times --no-times --omit-dir-times --owner --no-owner --group --no-group --exclude --include --max-size --min-size --bwlimit --timeout --contimeout --numeric-ids --ignore-existing --existing --ignore-times --itemize-changes --one-file-system --size-only --whole-file --backup --prune-empty-dirs --relative --no-relative --hard-links --acls --xattrs --sparse --info --mkpath --max-delete --ignore-errors --force --chmod --cvs-exclude',
      ),
    },
    { names: ['scp'], flags: optionNames('346BCpqrRTv'), valued: optionNames('lPc') },
    { names: ['sftp'] },
    { names: ['mkdir'], flags: optionNames('pvZ', '--parents --verbose'), valued: ['-m', '--mode'] },
    {
      names: ['touch'],
      flags: optionNames('acmhf', '--no-create --no-dereference'),
      valued: optionNames('dtr', '--date --time --reference'),
    },
    {
      names: ['mktemp'],
      flags: optionNames('dqtu', '--directory --quiet --dry-run --tmpdir --suffix'),
      valued: ['-p'],
    },
    {
      names: ['chmod'],
      // The mode of `chmod -x a` is letters as well.
      flags: optionNames('RvfcrwxXst', '--recursive --verbose --quiet --silent --changes --reference --preserve-root'),
    },
    {
      names: ['chown', 'chgrp'],
      flags: optionNames(
        'RvfchHLP',
        '--recursive --verbose --quiet --silent --changes --reference --from --no-dereference --dereference --preserve-root',
      ),
    },
    {
      names: ['setfacl'],
      flags: optionNames('bkdRLPn', '--remove-all --remove-default --default --recursive'),
      valued: optionNames('mx', '--modify --remove'),
    },
    { names: ['chattr'], flags: optionNames('RVfaAcCdDeFijmPsStTux') },
    { names: ['setcap', 'setfattr'], flags: optionNames('rqhx'), valued: optionNames('nv', '--name --value --remove') },
    {
      names: ['tar'],
      bare: true,
      flags: optionNames(
        'cxtrufvzjJZpkmhPSOUWdloC',
        '--create --extract --get --list --append --update --verbose --gzip --gunzip --bzip2 --xz --zstd --auto-compress --keep-old-files --skip-old-files --keep-newer-files --overwrite --preserve-permissions --same-permissions --no-same-permissions --same-owner --no-same-owner --numeric-owner --strip-components --exclude --exclude-vcs --directory --dereference --wildcards --no-recursion --one-file-system --totals --to-stdout --absolute-names --sparse --sort --mtime --owner --group --mode --touch --version --help',
      ),
    },
    { names: ['unzip', 'zip'], flags: optionNames('0123456789odqlvtnujxaCLrmeyp') },
    {
      names: ['gzip', 'gunzip', 'bzip2', 'xz', 'zstd'],
      flags: optionNames(
        '0123456789dkfqvclrtnNezT',
        '--keep --compress --decompress --force --stdout --best --fast --recursive --test --verbose --quiet --threads --rm --long --list',
      ),
      valued: ['-o'],
    },
    {
      names: ['cpio'],
      flags: optionNames('iopdmuvt0cBL', '--extract --create --list --verbose --quiet'),
      valued: ['-H'],
    },
    {
      names: ['patch'],
      flags: optionNames(
        'RNsftEblu',
        '--dry-run --reverse --forward --silent --quiet --force --backup --verbose --strip',
      ),
      valued: optionNames('pidForzB'),
    },
    { names: ['mount'] },
    {
      names: ['umount', 'swapon', 'swapoff', 'sync'],
      flags: optionNames('aflnrvRdpe', '--all --force --lazy --recursive --verbose --data --file-system'),
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
      writes: true,
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
      writes: true,
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
      writes: true,
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
      reads: true,
      class: 'destructive',
      needs: ['destructive', 'use_network'],
      examples: [
        ['rsync', '-a', '--delete', 'a/', 'b/'],
        ['scp', 'a', 'host:b'],
      ],
      notExamples: [['sftp', 'db']],
    },
    {
      name: 'files.make',
      programs: ['mkdir', 'touch', 'mktemp'],
      class: 'config-mutation',
      needs: ['edit_repo'],
      examples: [
        ['touch', 'a'],
        ['mkdir', '-p', 'a/b'],
      ],
      notExamples: [['stat', 'a']],
    },
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
      programs: ['chown', 'chgrp', 'setfacl', 'chattr'],
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [
        ['chown', 'x', 'a'],
        ['chattr', '+i', 'a'],
      ],
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
    {
      name: 'files.unpack',
      programs: ['tar', 'unzip', 'gzip', 'gunzip', 'bzip2', 'xz', 'zstd', 'cpio', 'patch', 'zip'],
      // Files that are there already are overwritten, wherever the archive says; one with a colon is at another machine.
      plainOperands: /^[^:]*$/,
      reads: true,
      class: 'destructive',
      needs: ['destructive'],
      examples: [
        ['tar', 'xf', 'a.tar'],
        ['unzip', '-o', 'a.zip'],
        ['gzip', 'a'],
      ],
      notExamples: [['cat', 'a.tar']],
    },
    {
      name: 'files.unmount',
      programs: ['umount', 'swapon', 'swapoff', 'sync', 'fsck'],
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [['umount', '/mnt']],
      notExamples: [['df']],
    },
    {
      name: 'files.mount',
      programs: ['mount'],
      // A file system may be a program, and its settings name one.
      plain: MOUNTS,
      class: 'config-mutation',
      needs: ['edit_system'],
      examples: [
        ['mount', '/dev/sdb1', '/mnt'],
        ['mount', '-t', 'fuse.sshfs', '-o', 'ssh_command=./p', 'a:', '/mnt'],
      ],
      notExamples: [['df']],
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
