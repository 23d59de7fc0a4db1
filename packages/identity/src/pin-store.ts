import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createListeners,
  ensurePrivateDirectory,
  type Logger,
  parseNodeId,
  quote,
  type Random,
  replacePrivateFile,
  WritError,
} from '@writ/core';
import { readIdentityCertificate } from './identity-certificate.ts';
import type { Pin, PinStore } from './types.ts';

const SUFFIX = '.pem';

/**
 * The pinned identity certificates in `dir` (made with mode 0700 where it is missing), one PEM file a peer, named by
 * its id. Throws HOME_INSECURE for a folder that others can reach, CONFIG_INVALID for a file that does not hold the
 * certificate of the id in its name.
 */
export function createPinStore(dir: string, random: Random, logger: Logger): PinStore {
  ensurePrivateDirectory(dir);
  const pins = readAll(dir);
  // Each cuts what hangs on trust, whatever becomes of another.
  const listeners = createListeners<undefined>(logger, 'changes of pins');
  // One change after another, so that the folder and the memory agree.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const next = last.then(change);
    last = next.catch(() => undefined);
    return next;
  };

  return {
    get: (id) => pins.get(parseNodeId(id) ?? ''),
    list: () => [...pins.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    put: (pin) =>
      inTurn(async () => {
        const checked = checkPin(pin);
        await replacePrivateFile(join(dir, `${checked.id}${SUFFIX}`), checked.certificatePem, random);
        pins.set(checked.id, checked);
        listeners.tell(undefined);
      }),
    remove: (input) =>
      inTurn(async () => {
        const id = parseNodeId(input);
        if (id === undefined || !pins.has(id)) return false;
        // Trust ends before the file does: a failing disk must not keep a peer.
        pins.delete(id);
        listeners.tell(undefined);
        await rm(join(dir, `${id}${SUFFIX}`), { force: true });
        return true;
      }),
    // A wrapper, so that the same function can listen twice and stop once.
    onChange: (listener) => listeners.add(() => listener()),
  };
}

function readAll(dir: string): Map<string, Pin> {
  const pins = new Map<string, Pin>();
  for (const name of readdirSync(dir)) {
    if (!name.endsWith(SUFFIX)) continue;
    const path = join(dir, name);
    try {
      if (!lstatSync(path).isFile()) throw new WritError('BAD_REQUEST', 'it is not a regular file');
      const pin = checkPin({ id: name.slice(0, -SUFFIX.length), certificatePem: readFileSync(path, 'utf8') });
      pins.set(pin.id, pin);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new WritError('CONFIG_INVALID', `pinned certificate ${quote(path)} cannot be used: ${why}`, {
        cause,
        nextSteps: ['remove the file and pair with the peer again'],
      });
    }
  }
  return pins;
}

/** The pin in its stored form, where the certificate's key really gives the id. */
function checkPin(pin: Pin): Pin {
  const read = readIdentityCertificate(pin.certificatePem);
  if (parseNodeId(pin.id) !== read.id) {
    throw new WritError('BAD_REQUEST', `certificate is of ${read.id}, not of ${quote(pin.id)}`);
  }
  return read.pin;
}
