/**
 * What gateway and spawner say to each other over one socket: frames of a 9-byte head (payload length, type, run
 * number, big endian) and a payload. Run numbers are the gateway's, from 1, never reused with one spawner.
 */
export const FRAME = {
  /** Gateway → spawner: start a process; payload `StartOrder`. */
  start: 1,
  /** Gateway → spawner: end its tree; payload `StopOrder`. */
  stop: 2,
  /** Gateway → spawner: that many bytes of output were dealt with; payload is a 32-bit count. */
  credit: 3,
  /** Gateway → spawner: bytes for the standard input of a process that was started with `inputOpen`. */
  input: 4,
  /** Gateway → spawner: nothing more comes; its standard input is closed. */
  inputEnd: 5,
  /** Gateway → spawner: are you there? Of no run (0), without payload; answered by `here`. */
  ask: 6,
  /** Spawner → gateway: it runs; payload `Started`. */
  started: 16,
  /** Spawner → gateway: it could not be started, nothing ran; payload `Failed`. The run number is done with. */
  failed: 17,
  /** Spawner → gateway: output bytes. */
  stdout: 18,
  stderr: 19,
  /** Spawner → gateway: the main process has ended; payload `Exited`. */
  exited: 20,
  /** Spawner → gateway: tree gone, output drained; payload `Ended`. The run number is done with. */
  ended: 21,
  /** Spawner → gateway: that many bytes of input were taken by the process, or will be by nobody; a 32-bit count. */
  inputTaken: 22,
  /** Spawner → gateway: the answer to `ask`. */
  here: 23,
} as const;

/** `errno` of a start that found another working directory than it was told of. */
export const DIRECTORY_CHANGED = 'DIRECTORY_CHANGED';

export interface StartOrder {
  readonly argv: readonly string[];
  /** Absolute path of the file that is executed; absent: `argv[0]`, as it is found in PATH. */
  readonly program?: string;
  readonly cwd: string;
  /** Which directory `cwd` has to be, decimal; absent: whichever is there. */
  readonly directory?: { readonly device: string; readonly inode: string; readonly born: string };
  readonly env: Readonly<Record<string, string>>;
  /** Permissions that the process makes files without, 0 to 0o777; absent: the spawner's own. */
  readonly umask?: number;
  /** Absolute path of a file that becomes its standard input; absent: that is closed. */
  readonly stdinFile?: string;
  /** Whether its standard input stays open, for `input` frames; never beside `stdinFile`. */
  readonly inputOpen?: boolean;
  /** Value of the marker variable in `env`. */
  readonly nonce: string;
  /** The attempt's own folder: what works inside it belongs to the run; absent: it has none. */
  readonly folder?: string;
  /**
   * The process that is started only keeps others in a namespace of their own, tells the first of them on `KEEPER_FD`, and
   * its end is theirs: TERM is for them alone.
   */
  readonly keeper?: boolean;
  /** What is started tells on `ENDING_FD` how the program in it ended; never without `keeper`. */
  readonly endingTold?: boolean;
  /** Bytes, in base64, that the process reads on `TOLD_FD`; absent: that is closed. */
  readonly told?: string;
  /** Between TERM and KILL, milliseconds. */
  readonly graceMs: number;
}
export interface StopOrder {
  readonly graceMs: number;
}
export interface Started {
  readonly pid: number;
  readonly startTicks: number;
}
export interface Failed {
  /** `ENOENT`, `EACCES`, …, or what Node.js calls it. */
  readonly errno: string;
  readonly message: string;
}
export interface Exited {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end was ordered while the process still ran. */
  readonly stopped: boolean;
}
export interface Ended {
  /** What ended the program that a keeper kept; absent: its exit status is its own. */
  readonly keptSignal?: string;
  /** Pids that could not be signalled or did not end, and were left. */
  readonly refused: readonly number[];
  /** Somebody of the run, whether found or not, was alive when it was given up. */
  readonly held: boolean;
}

/** Output bytes of one run that may be under way to the gateway; more waits in the pipes and stops the writer. */
export const WINDOW_BYTES = 512 * 1024;

const HEAD_BYTES = 9;
/** Largest payload that is accepted; an argv with its environment fits into 2 MiB. */
const LARGEST_BYTES = 16 * 1024 * 1024;

export interface Frame {
  readonly type: number;
  readonly run: number;
  readonly payload: Buffer;
}

export function frameHead(type: number, run: number, payloadBytes: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(payloadBytes, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32BE(run, 5);
  return head;
}

/** A frame with a JSON payload, ready to write. */
export function jsonFrame(type: number, run: number, payload: object): Buffer {
  const body = Buffer.from(JSON.stringify(payload), 'utf8');
  return Buffer.concat([frameHead(type, run, body.length), body]);
}

/** A frame that counts bytes, ready to write. */
export function countFrame(type: number, run: number, bytes: number): Buffer {
  const body = Buffer.allocUnsafe(4);
  body.writeUInt32BE(bytes, 0);
  return Buffer.concat([frameHead(type, run, 4), body]);
}

/** A frame with these bytes, ready to write. */
export function bytesFrame(type: number, run: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([frameHead(type, run, bytes.length), bytes]);
}

/**
 * Cuts a byte stream into frames, whatever way it arrives. Output is handed on in the pieces in which it came, each as
 * a frame, without copying; every other frame is whole. Throws where a length is beyond all reason.
 */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  /** An incomplete head, or an incomplete frame that is no output. */
  let held: Buffer = Buffer.alloc(0);
  /** The output frame that is under way. */
  let output = { type: 0, run: 0, leftBytes: 0 };
  return (chunk) => {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = Buffer.alloc(0);
    while (rest.length > 0) {
      if (output.leftBytes > 0) {
        const payload = rest.subarray(0, output.leftBytes);
        rest = rest.subarray(payload.length);
        output = { ...output, leftBytes: output.leftBytes - payload.length };
        onFrame({ type: output.type, run: output.run, payload });
        continue;
      }
      const frame = readFrame(rest);
      if (frame === undefined) {
        held = rest;
        return;
      }
      if ('leftBytes' in frame) output = frame;
      else onFrame(frame);
      rest = rest.subarray('leftBytes' in frame ? HEAD_BYTES : HEAD_BYTES + frame.payload.length);
    }
  };
}

/** The whole frame, or the head of an output frame, that `bytes` begin with; undefined where there is too little. */
function readFrame(bytes: Buffer): Frame | { type: number; run: number; leftBytes: number } | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length > LARGEST_BYTES) throw new RangeError(`frame of ${length} bytes`);
  const type = bytes.readUInt8(4);
  const run = bytes.readUInt32BE(5);
  if (type === FRAME.stdout || type === FRAME.stderr) return { type, run, leftBytes: length };
  const end = HEAD_BYTES + length;
  return bytes.length < end ? undefined : { type, run, payload: bytes.subarray(HEAD_BYTES, end) };
}
