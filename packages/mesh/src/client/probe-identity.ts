import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { type Clock, parseAddress, quote, WritError } from '@writ/core';
import { type Pin, readIdentityCertificate, TLS_SERVER_NAME } from '@writ/identity';
import { unreachable } from './failure.ts';

/** Time for a connection and its handshake, milliseconds. */
const PROBE_MS = 10_000;
/** A node presents its leaf and its identity certificate. */
const LONGEST_CHAIN = 4;

/**
 * Fetches the identity certificate that the node at an address presents, where its key gives the id that was asked for.
 * No byte is sent over this connection. That the node also has a TLS key under the certificate is not looked at here:
 * the certificate becomes the only root of the real connection, and that one proves it.
 * Throws UNREACHABLE where nobody answers, PEER_UNKNOWN where another node does.
 */
export async function probeIdentity(
  target: { readonly address: string; readonly id: string },
  clock: Pick<Clock, 'setTimer'>,
  signal: AbortSignal,
): Promise<Pin> {
  const { host, port } = parseAddress(target.address);
  const socket = connect({
    host,
    port,
    servername: TLS_SERVER_NAME,
    ALPNProtocols: ['h2'],
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    // Nothing is trusted by it: what was presented is compared with the id below.
    rejectUnauthorized: false,
  });
  try {
    await secured(socket, target, clock, signal);
    const pin = findPin(socket.getPeerCertificate(true), target.id);
    if (pin === undefined) {
      throw new WritError('PEER_UNKNOWN', `another node than ${target.id} answers at ${quote(target.address)}`, {
        details: { address: target.address, id: target.id },
        nextSteps: ['ask for a new invite, and check the address in it'],
      });
    }
    return pin;
  } finally {
    socket.destroy();
  }
}

function secured(
  socket: TLSSocket,
  { address }: { readonly address: string },
  clock: Pick<Clock, 'setTimer'>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const peer = { label: address, address };
    const late = (): void => reject(unreachable(peer, `no answer within ${PROBE_MS} ms`));
    const cancel = clock.setTimer(PROBE_MS, late);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('secureConnect', resolve);
    socket.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        unreachable(peer, error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message, { cause: error }),
      ),
    );
    socket.once('close', () => {
      cancel();
      signal.removeEventListener('abort', abort);
      reject(unreachable(peer, 'the connection was closed'));
    });
    if (signal.aborted) abort();
  });
}

/** The presented certificate that is an identity certificate of this id. */
function findPin(leaf: DetailedPeerCertificate, id: string): Pin | undefined {
  let certificate: DetailedPeerCertificate | undefined = leaf;
  for (let i = 0; i < LONGEST_CHAIN && certificate?.raw !== undefined; i++) {
    const pin = pinOf(certificate.raw);
    if (pin?.id === id) return pin;
    if (certificate === certificate.issuerCertificate) return undefined;
    certificate = certificate.issuerCertificate;
  }
  return undefined;
}

function pinOf(der: Uint8Array): Pin | undefined {
  try {
    return readIdentityCertificate(der).pin;
  } catch {
    // A leaf is no identity certificate.
    return undefined;
  }
}
