/**
 * Instructions of the kernel's classic packet filter, as seccomp(2) takes them: the few that a filter of system calls
 * needs. Numbers are those of `linux/bpf_common.h` and `linux/seccomp.h`.
 */

/** One instruction; jumps count instructions from the next one on, 0 to 255. */
export interface Instruction {
  readonly code: number;
  readonly whenTrue: number;
  readonly whenFalse: number;
  /** 32 bits without a sign. */
  readonly operand: number;
}

/** Codes of the instructions that there are here. */
export const CODE = { load: 0x20, jumpIfEqual: 0x15, jumpIfAtLeast: 0x35, jumpIfAnyBit: 0x45, answer: 0x06 } as const;

/** Where the parts of `struct seccomp_data` lie; of an argument the lower half, on a machine with the low byte first. */
export const FIELD = { call: 0, architecture: 4, argument: (index: number): number => 16 + 8 * index } as const;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const FAIL = 0x0005_0000;

/** Reads 32 bits of what is known of the call. */
export function load(field: number): Instruction {
  return { code: CODE.load, whenTrue: 0, whenFalse: 0, operand: field };
}

/** Looks at what was read, and goes over so many instructions. */
export function jump(
  code: (typeof CODE)['jumpIfEqual' | 'jumpIfAtLeast' | 'jumpIfAnyBit'],
  operand: number,
  whenTrue: number,
  whenFalse: number,
): Instruction {
  return { code, whenTrue, whenFalse, operand };
}

/** Ends the program: the call is made, fails with an error of this number, or ends the process. */
export function answer(what: 'allow' | 'kill' | { readonly errno: number }): Instruction {
  const operand = what === 'allow' ? ALLOW : what === 'kill' ? KILL_PROCESS : FAIL + what.errno;
  return { code: CODE.answer, whenTrue: 0, whenFalse: 0, operand };
}

const INSTRUCTION_BYTES = 8;
/** The kernel takes no longer program. */
const LONGEST = 4096;
const FARTHEST = 255;

/** The bytes of a program, low byte first. Throws RangeError where an instruction does not fit into its fields. */
export function encode(program: readonly Instruction[]): Uint8Array {
  if (program.length > LONGEST) throw new RangeError(`a filter of ${program.length} instructions`);
  const bytes = new DataView(new ArrayBuffer(program.length * INSTRUCTION_BYTES));
  for (const [at, { code, whenTrue, whenFalse, operand }] of program.entries()) {
    if (Math.max(whenTrue, whenFalse) > FARTHEST) throw new RangeError('a jump that is too far');
    const offset = at * INSTRUCTION_BYTES;
    bytes.setUint16(offset, code, true);
    bytes.setUint8(offset + 2, whenTrue);
    bytes.setUint8(offset + 3, whenFalse);
    bytes.setUint32(offset + 4, operand, true);
  }
  return new Uint8Array(bytes.buffer);
}
