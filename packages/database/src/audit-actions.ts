/** What can happen on a node, by the kind of its rows: the whole vocabulary of the audit trail. */
export const AUDIT_ACTIONS = {
  decision: {
    'decision.allow': 'a request was decided: it may run',
    'decision.ask': 'a request was decided: somebody has to be asked',
    'decision.deny': 'a request was decided: it may not run',
    'start.permitted': 'decided again in the transaction that starts: it starts',
    'start.refused': 'decided again in the transaction that starts: it does not',
    'writ.refused': 'a peer sent a chain of writs that does not hold',
  },
  task: {
    'task.queued': 'a task was taken in',
    'task.waiting': 'a task waits for a person',
    'task.input_required': 'a task waits for words',
    'task.approval_required': 'a task waits for a yes',
    'task.credential_required': 'a task waits for a credential',
    'task.running': 'a task started, or goes on',
    'task.completed': 'a task ended well',
    'task.failed': 'a task ended otherwise, with its code',
    'task.cancelled': 'a task ended by a cancel',
    'task.rejected': 'a task ended before it ran',
    'task.lost': 'a task ended with its node',
    'task.cancel-requested': 'the intent to cancel a task',
    'task.writ-renewed': 'the writs of a task live longer',
    'task.writ-not-renewed': 'an extension of writs was refused',
    'task.asked': 'a task asked something',
    'task.replied': 'a task was answered; never with what',
    'task.reply-refused': 'an answer to a task was refused',
    'task.result-received': 'the origin has the signed result',
    'task.removed': 'a task that ended long ago is kept no more',
    'mirror.submitted': 'a task was asked of another node',
    'mirror.completed': 'what was asked of another node ended well',
    'mirror.failed': 'what was asked of another node ended otherwise',
    'mirror.cancelled': 'what was asked of another node ended by a cancel',
    'mirror.rejected': 'what was asked of another node was refused',
    'mirror.lost': 'what was asked of another node ended with it, or was given up',
    'mirror.late': 'a result came after its task was given up',
    'mirror.not-awaited': 'what was given up is asked for no more',
    'mirror.receipt-refused': 'the other node takes no receipt for a result, and is offered it no more',
    'mirror.cancel-requested': 'the intent to cancel what was asked of another node',
    'mirror.forgotten': 'a person gave up what was asked of another node',
    'mirror.removed': 'what was asked of another node long ago is kept no more',
    'mirror.replied': 'a task at another node was answered; never with what',
  },
  execution: {
    'execution.proposed': 'a gated command was taken in and may run',
    'execution.pending_approval': 'a gated command waits for a person',
    'execution.running': 'a gated command started',
    'execution.completed': 'a gated command ended with 0',
    'execution.failed': 'a gated command ended otherwise',
    'execution.denied': 'a gated command was denied by a person or by policy',
    'execution.expired': 'a gated command was not answered in time',
    'execution.cancelled': 'a gated command was cancelled',
    'execution.outcome_unknown': 'the node ended while a gated command ran',
    'execution.refused': 'a gated command was not taken in',
    'execution.sent': 'a gated command was asked of another node',
  },
  upstream: {
    'upstream.called': 'a tool of an upstream MCP server was called; never with what',
    'upstream.refused': 'a tool of an upstream MCP server was asked for, and policy denied it',
  },
  approval: {
    'approval.requested': 'a question was put to the approvers',
    'approval.approved': 'a question was answered with yes',
    'approval.denied': 'a question was answered with no',
    'approval.expired': 'a question was not answered in time',
    'approval.cancelled': 'a question was taken back',
    'approval.dropped': 'a yes that was not used does not count any more',
    'approval.not-asked': 'a question could not be put',
    'approval.answer-refused': 'an answer did not count',
  },
  approver: {
    'approver.enrolled': 'somebody may answer',
    'approver.removed': 'somebody may answer no more',
  },
  lease: {
    'lease.granted': 'a lease was lent',
    'lease.renewed': 'a lease lives longer',
    'lease.revoked': 'a lease was taken back',
    'lease.use-returned': 'a use of a lease that started nothing',
  },
  window: {
    'window.opened': 'what an agent does in a session runs without asking',
    'window.closed': 'and no more',
  },
  session: {
    'session.started': "an agent's piece of work began",
    'session.ended': "an agent's piece of work ended",
    'session.removed': 'pieces of work of which nothing is left are recorded no more, so many',
  },
  token: {
    'token.host.issued': 'the host token of a start',
    'token.task.issued': 'a task may talk to its node',
  },
  invite: {
    'invite.created': 'an invite was made',
    'invite.proved': 'somebody proved an invite, which is spent',
    'invite.proof-refused': 'somebody did not',
    'invite.closed': 'an invite was closed after too many wrong proofs',
    'invite.withdrawn': 'an invite was taken back',
    'invite.declined': 'the person said no to who proved an invite',
    'invite.ended': 'an invite ended because the clock was accepted',
    'invite.ended-by-restart': 'invites ended with their node',
  },
  peer: {
    'peer.paired': 'a peer was stored',
    'peer.removed': 'a peer was removed',
    'peer.taken-back': 'a peer could not be stored whole, and is none',
  },
  policy: {
    'policy.reloaded': 'a policy is in force',
    'policy.reload-failed': 'a policy was refused, and the one before stays',
    'policy.approved': 'a person accepted what a policy gives',
    'policy.approval-unused': 'what a person accepted was loaded no more, and is not in force',
  },
  node: {
    'node.started': 'the node serves',
    'node.workspaces-removed': 'a person removed clones that were kept',
    'node.stopping': 'the node was told to stop; without it, it was killed',
    'clock.accepted': 'a person accepted that the clock went back',
    'row.quarantined': 'a stored row cannot be read and is left out',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What a row is about. */
export type AuditKind = keyof typeof AUDIT_ACTIONS;

/** What a row of the audit trail can be about. */
export const AUDIT_KINDS = Object.keys(AUDIT_ACTIONS) as readonly AuditKind[];

/** What happened, for example `lease.granted`. */
export type AuditAction = { [Kind in AuditKind]: keyof (typeof AUDIT_ACTIONS)[Kind] }[AuditKind];
