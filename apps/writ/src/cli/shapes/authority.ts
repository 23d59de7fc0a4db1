import { contract } from '@writ/gateway';
import { z } from 'zod';
import { type JsonShapes, lines, one } from './types.ts';

const { lease } = contract.lease_show.output.shape;
const { approval } = contract.approval_show.output.shape;

/** Peers, and who may do what for how long. */
export const authorityShapes: JsonShapes = {
  'peer invite': lines(contract.peer_invite.item),
  'peer join': lines(contract.peer_join.item),
  'peer list': one(contract.peer_list.output),
  'peer show': one(contract.peer_show.output),
  'peer remove': one(contract.peer_remove.output),
  'lease grant': one(lease),
  'lease list': one(contract.lease_list.output),
  'lease accept-clock': one(contract.clock_accept.output),
  'lease revoke': one(contract.lease_revoke.output),
  'lease show': one(lease),
  'lease renew': one(lease),
  'lease request': one(contract.request_lease.output),
  'approver enroll': one(z.object({ id: z.string(), label: z.string(), key_file: z.string() })),
  'approver list': one(contract.approver_list.output),
  'approver remove': one(z.object({ approver: z.string(), approval: z.string() })),
  'approval list': one(contract.approval_list.output),
  'approval show': one(approval),
  'approval approve': one(approval),
  'approval deny': one(approval),
  'approval watch': lines(approval),
  'window list': one(contract.window_list.output),
  'window close': one(contract.window_close.output),
  'session start': one(contract.session_start.output),
  'session list': one(contract.session_list.output),
  'session end': one(contract.session_end.output),
};
