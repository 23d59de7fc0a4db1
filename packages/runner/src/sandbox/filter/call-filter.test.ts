import { describe, expect, it } from 'vitest';
import { filterCall } from '../../testing/filter-machine.ts';
import { answer, CODE, encode, jump, load } from './bpf.ts';
import { assembleFilter, machineOf } from './call-filter.ts';
import { NEWEST_CALL, REFUSED_CALLS } from './refused-calls.ts';

const ERRNO = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };
const MACHINES = [
  { machine: 'x86_64', architecture: 0xc000_003e, of32Bits: 0x4000_0003 },
  { machine: 'aarch64', architecture: 0xc000_00b7, of32Bits: 0x4000_0028 },
] as const;

describe.each(MACHINES)('the filter of system calls of $machine', ({ machine, architecture, of32Bits }) => {
  const filter = assembleFilter(machine);
  const asked = (number: number, args: readonly bigint[] = []): ReturnType<typeof filterCall> =>
    filterCall(filter, { architecture, number, args });
  const numberOf = (name: string): number => REFUSED_CALLS.find((call) => call.name === name)?.[machine] ?? -1;

  it('refuses what its table names, each number once, and lets every other one be made', () => {
    const refused = new Map(
      REFUSED_CALLS.flatMap((call) => (call[machine] === undefined ? [] : [[call[machine], call]])),
    );
    expect(refused.size).toBe(REFUSED_CALLS.filter((call) => call[machine] !== undefined).length);
    for (let number = 0; number <= NEWEST_CALL; number += 1) {
      const call = refused.get(number);
      if (call === undefined) expect(asked(number), String(number)).toBe('allow');
      else if (call.when === undefined) expect(asked(number), call.name).toBe(ERRNO[call.fails]);
    }
  });

  it('answers a number that was not looked at as if there were no such call', () => {
    for (const number of [NEWEST_CALL + 1, 1000, 0x4000_0000, 0x4000_0000 + numberOf('ptrace'), 0x7fff_ffff, -1]) {
      expect(asked(number)).toBe(ERRNO.ENOSYS);
    }
  });

  it('ends a program that calls by the table of another architecture', () => {
    for (const other of [of32Bits, 0, ...MACHINES.map((each) => each.architecture)].filter((a) => a !== architecture)) {
      expect(filterCall(filter, { architecture: other, number: 1 })).toBe('kill');
    }
  });

  it('lets processes and threads be made, and no namespaces', () => {
    const [forks, threads] = [0x0120_0011n, 0x003d_0f00n];
    expect([forks, threads].map((flags) => asked(numberOf('clone'), [flags]))).toEqual(['allow', 'allow']);
    expect(asked(numberOf('unshare'), [0x600n])).toBe('allow');
    for (const bit of [0x2_0000n, 0x200_0000n, 0x400_0000n, 0x800_0000n, 0x1000_0000n, 0x2000_0000n, 0x4000_0000n]) {
      expect(asked(numberOf('clone'), [forks + bit])).toBe(ERRNO.EPERM);
      expect(asked(numberOf('unshare'), [bit])).toBe(ERRNO.EPERM);
    }
    expect(asked(numberOf('unshare'), [0x80n])).toBe(ERRNO.EPERM);
  });

  it('lets terminals be asked, and nothing be typed into them, whatever stands in the half that the kernel does not read', () => {
    const high = 0xabcd_0000_0000n;
    expect(asked(numberOf('ioctl'), [0n, 0x5401n])).toBe('allow');
    for (const request of [0x5412n, 0x541cn]) {
      expect(asked(numberOf('ioctl'), [0n, request])).toBe(ERRNO.EPERM);
      expect(asked(numberOf('ioctl'), [0n, high + request])).toBe(ERRNO.EPERM);
    }
  });

  it('lets sockets of the kept-apart families be made, and no others', () => {
    const allowed = [1n, 2n, 10n, 16n];
    for (let family = 0n; family < 64n; family += 1n) {
      expect(asked(numberOf('socket'), [family, 1n])).toBe(allowed.includes(family) ? 'allow' : ERRNO.EAFNOSUPPORT);
    }
  });
});

describe('the assembler of filters', () => {
  it('writes what the kernel reads', () => {
    const bytes = encode([load(4), jump(CODE.jumpIfEqual, 0xc000_003e, 1, 0), answer('kill'), answer({ errno: 1 })]);
    expect(Buffer.from(bytes).toString('hex')).toBe(
      '20000000040000001500010' + '03e0000c006000000000000800600000001000500',
    );
  });

  it('refuses what does not fit', () => {
    expect(() => encode([jump(CODE.jumpIfEqual, 0, 256, 0)])).toThrow('too far');
    expect(() => encode(Array.from({ length: 4097 }, () => answer('allow')))).toThrow('4097 instructions');
  });

  it('knows two machines', () => {
    expect(['x64', 'arm64', 'ia32', 'riscv64'].map(machineOf)).toEqual(['x86_64', 'aarch64', undefined, undefined]);
  });
});
