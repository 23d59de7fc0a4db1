import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type NodeIdentity, TLS_SERVER_NAME } from '@writ/identity';
import type { TestNode } from './test-node.ts';

/** One HTTP/2 connection, below any gRPC library: what a test says of its two ends is so. */
export interface WireConnection {
  readonly localPort: number;
  /** Calls a method with an empty message; resolves with its `grpc-status`. */
  call(path: string): Promise<number>;
  close(): Promise<void>;
}

/** Connects to `host`, from `localPort` where it is given, with the keys of `identity`. */
export async function openWire(
  to: TestNode,
  identity: NodeIdentity,
  { host = '127.0.0.1', localPort }: { readonly host?: string; readonly localPort?: number } = {},
): Promise<WireConnection> {
  const keys = identity.tls();
  const tcp = connectTcp({
    host,
    port: Number(to.address.split(':')[1]),
    // Bound by name, so that a second socket may share the port.
    localAddress: '127.0.0.1',
    ...(localPort === undefined ? {} : { localPort }),
  });
  const socket = connectTls({
    socket: tcp,
    ca: to.identity.public.certificatePem,
    key: keys.keyPem,
    cert: keys.chainPem,
    servername: TLS_SERVER_NAME,
    ALPNProtocols: ['h2'],
    checkServerIdentity: () => undefined,
  });
  await secured(tcp, socket);
  const session = connectHttp2(`https://${TLS_SERVER_NAME}`, { createConnection: () => socket });
  session.on('error', () => undefined);
  return {
    localPort: tcp.localPort ?? 0,
    call: (path) => callOver(session, path),
    close: () => new Promise((resolve) => session.close(resolve)),
  };
}

function secured(tcp: Socket, socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const end of [tcp, socket]) end.on('error', reject);
    socket.once('secureConnect', resolve);
  });
}

function callOver(session: ClientHttp2Session, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const note = (headers: { readonly 'grpc-status'?: unknown }): void => {
      if (headers['grpc-status'] !== undefined) resolve(Number(headers['grpc-status']));
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('error', reject);
    stream.on('close', () => reject(new Error('the stream closed without a status')));
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
}
