import { answer, CODE, encode, FIELD, type Instruction, jump, load } from './bpf.ts';
import { type ArgumentTest, type Machine, NEWEST_CALL, REFUSED_CALLS, type Refusal } from './refused-calls.ts';

/** Numbers of errors, the same on every machine that is known here. */
const ERRNO: Readonly<Record<Refusal, number>> = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };
/** `AUDIT_ARCH_…` of `linux/audit.h`. */
const ARCHITECTURE: Readonly<Record<Machine, number>> = { x86_64: 0xc000_003e, aarch64: 0xc000_00b7 };

/** The machine that Node.js calls so (`process.arch`); undefined where its system calls are not known here. */
export function machineOf(arch: string): Machine | undefined {
  return ({ x64: 'x86_64', arm64: 'aarch64' } as const)[arch];
}

/**
 * The filter of system calls that every program of a sandbox is under, as bytes for `bwrap --seccomp`. A call by the table of
 * another architecture (32 bits on a machine of 64) ends the process: its numbers mean something else. Numbers beyond those that
 * were looked at, x32's among them, fail with ENOSYS.
 */
export function assembleFilter(machine: Machine): Uint8Array {
  return encode([
    load(FIELD.architecture),
    jump(CODE.jumpIfEqual, ARCHITECTURE[machine], 1, 0),
    answer('kill'),
    load(FIELD.call),
    jump(CODE.jumpIfAtLeast, NEWEST_CALL + 1, 0, 1),
    fail('ENOSYS'),
    ...REFUSED_CALLS.flatMap((call) => {
      const number = call[machine];
      return number === undefined ? [] : refuse(number, call.fails, call.when);
    }),
    answer('allow'),
  ]);
}

/** Instructions for one number; every other one goes on behind them. */
function refuse(number: number, fails: Refusal, when: ArgumentTest | undefined): readonly Instruction[] {
  const then = when === undefined ? [fail(fails)] : [load(FIELD.argument(when.argument)), ...decide(when, fails)];
  return [jump(CODE.jumpIfEqual, number, 0, then.length), ...then];
}

function decide({ is, values }: ArgumentTest, fails: Refusal): readonly Instruction[] {
  const code = is === 'any-bit' ? CODE.jumpIfAnyBit : CODE.jumpIfEqual;
  const [onMatch, otherwise] = is === 'other' ? [answer('allow'), fail(fails)] : [fail(fails), answer('allow')];
  // A match goes over the other tests and what follows where none matches.
  const tests = values.map((value, at) => jump(code, value, values.length - at, 0));
  return [...tests, otherwise, onMatch];
}

function fail(how: Refusal): Instruction {
  return answer({ errno: ERRNO[how] });
}
