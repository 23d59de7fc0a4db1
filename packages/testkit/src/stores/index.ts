export { describeApprovalStoreContract } from './approval-store-contract.ts';
export { describeApproverStoreContract } from './approver-store-contract.ts';
export {
  describeInviteStoreContract,
  describeNodeFactStoreContract,
  describeRequestLogStoreContract,
  describeSessionStoreContract,
  describeTokenStoreContract,
} from './authority-stores-contract.ts';
export { describeExecutionStoreContract } from './execution-store-contract.ts';
export { createFailingStore, type FailingStore } from './failing-store.ts';
export { describeLeaseStoreContract } from './lease-store-contract.ts';
export { describeMirrorStoreContract } from './mirror-store-contract.ts';
export { describeQuestionStoreContract } from './question-store-contract.ts';
export { describeResultStoreContract } from './result-store-contract.ts';
export { describeSentCommandStoreContract } from './sent-command-store-contract.ts';
export { BENCH_START_MS, type MakeStore, openStoreBench, type StoreBench, thrownBy } from './store-bench.ts';
export { describeTaskStoreContract, outcomeOf } from './task-store-contract.ts';
export { describeWindowStoreContract } from './window-store-contract.ts';
