import { createSecureContext } from 'node:tls';
import { ChannelCredentials, type ChannelOptions, Client, type Interceptor } from '@grpc/grpc-js';
import { type Clock, formatAddress, parseAddress } from '@writ/core';
import { type NodeIdentity, type Pin, TLS_SERVER_NAME, verifyPeerCertificate } from '@writ/identity';

/** Largest answer of a peer, bytes: a page of a transcript and what is around it. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Without it a stream over 20 ms of round trip carries 2 MB/s; see docs on speed. */
const FLOW_CONTROL_WINDOW_BYTES = 8 * 1024 * 1024;

const OPTIONS: ChannelOptions = {
  'grpc.ssl_target_name_override': TLS_SERVER_NAME,
  'grpc.default_authority': TLS_SERVER_NAME,
  'grpc.enable_channelz': 0,
  // A proxy of the environment has no business between two nodes, and no TXT record configures one.
  'grpc.enable_http_proxy': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 1,
  // grpc-js adds the jitter; while it waits, calls fail at once.
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 10_000,
  'grpc.dns_min_time_between_resolutions_ms': 5_000,
  'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
};

/**
 * A channel to one node: TLS 1.3 with this node's current keys, the pinned certificate as the only root, and on every
 * connection the check that the other end is that very node. Connects at the first call. Throws BAD_REQUEST for an
 * address that is none.
 */
export function openChannel(
  identity: NodeIdentity,
  pin: Pin,
  address: string,
  { clock, interceptors = [] }: { readonly clock: Clock; readonly interceptors?: Interceptor[] },
): Client {
  const { keyPem, chainPem } = identity.tls();
  const secureContext = createSecureContext({
    key: keyPem,
    cert: chainPem,
    ca: pin.certificatePem,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
  });
  const pins = { get: (id: string) => (id === pin.id ? pin : undefined) };
  const credentials = ChannelCredentials.createFromSecureContext(secureContext, {
    rejectUnauthorized: true,
    checkServerIdentity(_host, { raw }) {
      const proof = verifyPeerCertificate({ leafDer: raw, pins, nowMs: clock.nowMs() });
      return proof.verified ? undefined : new Error(`another node answers there: ${proof.message}`);
    },
  });
  return new Client(`dns:${formatAddress(parseAddress(address))}`, credentials, { ...OPTIONS, interceptors });
}
