/** A system call as the kernel shows it to a filter. */
export interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly args?: readonly bigint[];
}

/** What the kernel would make of a call under a filter: runs its bytes as bpf(4) says. Throws where they are no such program. */
export function filterCall(program: Uint8Array, { architecture, number, args = [] }: Call): 'allow' | 'kill' | number {
  const data = new DataView(new ArrayBuffer(64));
  data.setInt32(0, number, true);
  data.setUint32(4, architecture, true);
  for (const [at, value] of args.entries()) data.setBigUint64(16 + 8 * at, value, true);
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  let accumulator = 0;
  for (let at = 0; at < program.byteLength / 8; at += 1) {
    const operand = code.getUint32(at * 8 + 4, true);
    const jump = (isTrue: boolean): void => {
      at += code.getUint8(at * 8 + (isTrue ? 2 : 3));
    };
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(operand, true);
        break;
      case 0x15:
        jump(accumulator === operand);
        break;
      case 0x35:
        jump(accumulator >= operand);
        break;
      case 0x45:
        jump((accumulator & operand) !== 0);
        break;
      case 0x06:
        return meaningOf(operand);
      default:
        throw new Error(`instruction ${at} is none`);
    }
  }
  throw new Error('the program does not end');
}

function meaningOf(answer: number): 'allow' | 'kill' | number {
  if (answer === 0x7fff_0000) return 'allow';
  if (answer === 0x8000_0000) return 'kill';
  if (answer >>> 16 === 5) return answer & 0xffff;
  throw new Error(`answer ${answer} is none`);
}
