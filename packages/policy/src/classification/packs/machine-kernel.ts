import type { BuiltInRule } from '../types.ts';

/** Settings of memory, network and numbers: none of them names a program. */
const SETTINGS =
  /^(?:\n-[wqne]+|\n(?:(?:vm|net)\.[\w.-]+|fs\.(?:file-max|nr_open|aio-max-nr|inotify\.\w+)|kernel\.(?:hostname|domainname|panic|pid_max|threads-max|shm\w+|sem|msg\w+|sched_\w+|printk|dmesg_restrict|kptr_restrict|perf_event_paranoid))=[\w .-]*)*$/;
const ALL_SETTINGS = /^(?:\n-[neNb]+)*\n(?:-[neNb]*[aA][neNb]*|--all)(?:\n-[neNb]+)*$/;
const SETTING = /^[a-z0-9_][A-Za-z0-9_.-]*$/;
/** Modules by their names. */
const MODULES = /^(?:\n(?:-[nvqa]+|--dry-run|--verbose|--quiet))*(?:\n\w[\w-]*)+$/;

/** Rules about settings and modules of the kernel. */
export const KERNEL: readonly BuiltInRule[] = [
  {
    name: 'machine.unload',
    programs: ['rmmod'],
    class: 'destructive',
    needs: ['destructive', 'edit_system'],
    examples: [['rmmod', 'x']],
    notExamples: [['modprobe', 'x']],
  },
  {
    name: 'machine.module-remove',
    programs: ['modprobe'],
    options: ['-r', '--remove'],
    plain: /^\n(?:-r|--remove)(?:\n\w[\w-]*)+$/,
    class: 'destructive',
    needs: ['destructive', 'edit_system'],
    examples: [
      ['modprobe', '-r', 'x'],
      ['modprobe', '-r', '-d', '/x', 'y'],
    ],
    notExamples: [['modprobe', '-n', 'x']],
  },
  {
    name: 'machine.module',
    programs: ['modprobe'],
    // Another folder or file of settings names what runs in the place of a module.
    plain: MODULES,
    except: ['-r', '--remove'],
    class: 'config-mutation',
    needs: ['edit_system'],
    examples: [
      ['modprobe', 'br_netfilter'],
      ['modprobe', '-d', '/x', 'y'],
    ],
    notExamples: [['modprobe', '-r', 'x']],
  },
  {
    name: 'machine.kernel',
    programs: ['sysctl'],
    options: ['-w', '-p', '-f', '--write', '--load', '--system'],
    plain: SETTINGS,
    class: 'config-mutation',
    needs: ['edit_system'],
    examples: [
      ['sysctl', '-w', 'vm.swappiness=1'],
      ['sysctl', '-p', 'x'],
    ],
    notExamples: [['sysctl', 'a']],
  },
  {
    name: 'machine.kernel-set',
    programs: ['sysctl'],
    operand: /=/,
    plain: SETTINGS,
    class: 'config-mutation',
    needs: ['edit_system'],
    examples: [['sysctl', 'vm.swappiness=1']],
    notExamples: [['sysctl', 'vm.swappiness']],
  },
  {
    name: 'machine.kernel-read',
    programs: ['sysctl'],
    except: ['-w', '--write'],
    first: SETTING,
    plainOperands: SETTING,
    class: 'read',
    needs: ['inspect_status'],
    examples: [
      ['sysctl', 'kernel.hostname'],
      ['sysctl', '-n', 'vm.swappiness', 'vm.overcommit_memory'],
    ],
    notExamples: [
      ['sysctl', 'kernel.hostname=x'],
      ['sysctl', '-w', 'a=1'],
      ['sysctl', '-p', 'x'],
    ],
  },
  {
    name: 'machine.kernel-list',
    programs: ['sysctl'],
    written: ALL_SETTINGS,
    class: 'read',
    needs: ['inspect_status'],
    examples: [
      ['sysctl', '-a'],
      ['sysctl', '--all'],
    ],
    notExamples: [['sysctl', '-a', '-w', 'x=1']],
  },
];
