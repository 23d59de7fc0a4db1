import { createSecureContext, type SecureContextOptions } from 'node:tls';
import {
  ChannelCredentials,
  Client,
  type ClientDuplexStream,
  Metadata,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import { type NodeIdentity, TLS_SERVER_NAME } from '@writ/identity';
import type { TestNode } from './test-node.ts';

/** A gRPC client without any of our own checks, limits and types. */
export interface RawClient {
  /** One call with these bytes as its only message; resolves with how it ended. */
  call(path: string, message?: Uint8Array, metadata?: Metadata): Promise<StatusObject>;
  /** One call with these messages, left open unless `end`; resolves with how it ended. */
  send(path: string, messages: readonly Uint8Array[], end: boolean): Promise<StatusObject>;
  /** A call without any message, left open. */
  open(path: string): Promise<StatusObject>;
  /** A call with this message, or an empty one, left open until it is cancelled. */
  hold(
    path: string,
    message?: Uint8Array,
  ): { readonly end: Promise<StatusObject>; readonly first: Promise<unknown>; cancel(): void };
  close(): void;
}

/** Dials a node, with the keys of `identity` or with none. */
export function openRawClient(to: TestNode, identity?: NodeIdentity, tls: SecureContextOptions = {}): RawClient {
  const keys = identity?.tls();
  const context = createSecureContext({
    ca: to.identity.public.certificatePem,
    ...(keys === undefined ? {} : { key: keys.keyPem, cert: keys.chainPem }),
    ...tls,
  });
  const client = new Client(to.address, ChannelCredentials.createFromSecureContext(context), {
    'grpc.ssl_target_name_override': TLS_SERVER_NAME,
    'grpc.use_local_subchannel_pool': 1,
  });
  const pass = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  const start = (path: string, metadata: Metadata, send: (call: ClientDuplexStream<Uint8Array, Buffer>) => void) =>
    new Promise<StatusObject>((resolve) => {
      const call = client.makeBidiStreamRequest(path, pass, pass, metadata);
      call.on('status', resolve);
      call.on('error', () => undefined);
      call.on('data', () => undefined);
      send(call);
    });
  return {
    call: (path, message = new Uint8Array(), metadata = new Metadata()) =>
      start(path, metadata, (call) => {
        call.write(message);
        call.end();
      }),
    send: (path, messages, end) =>
      start(path, new Metadata(), (call) => {
        for (const message of messages) call.write(message);
        if (end) call.end();
      }),
    open: (path) => start(path, new Metadata(), () => undefined),
    hold(path, message = new Uint8Array()) {
      const call = client.makeServerStreamRequest(path, pass, pass, message, new Metadata());
      const end = new Promise<StatusObject>((resolve) => call.on('status', resolve));
      const first = new Promise<unknown>((resolve) => call.once('data', resolve));
      call.on('error', () => undefined);
      return { end, first, cancel: () => call.cancel() };
    },
    close: () => client.close(),
  };
}

/** Name of a status and, where the node said more, the code that it gave. */
export function ending(end: StatusObject): string {
  const trailer = end.metadata.get('writ-error-bin')[0];
  const code = Buffer.isBuffer(trailer) ? JSON.parse(trailer.toString()).code : 'none';
  return `${status[end.code]} ${code}`;
}
