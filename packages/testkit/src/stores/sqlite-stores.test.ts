import {
  createApprovalStore,
  createApproverStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createNodeFactStore,
  createRequestLogStore,
  createSentCommandStore,
  createSessionStore,
  createTokenStore,
  createWindowStore,
} from '@writ/lease-store';
import { createMirrorStore, createQuestionStore, createResultStore, createTaskStore } from '@writ/task-store';
import {
  createFailingStore,
  describeApprovalStoreContract,
  describeApproverStoreContract,
  describeExecutionStoreContract,
  describeInviteStoreContract,
  describeLeaseStoreContract,
  describeMirrorStoreContract,
  describeNodeFactStoreContract,
  describeQuestionStoreContract,
  describeRequestLogStoreContract,
  describeResultStoreContract,
  describeSentCommandStoreContract,
  describeSessionStoreContract,
  describeTaskStoreContract,
  describeTokenStoreContract,
  describeWindowStoreContract,
} from './index.ts';

describeLeaseStoreContract('the SQLite store', createLeaseStore);
describeSessionStoreContract('the SQLite store', createSessionStore);
describeTokenStoreContract('the SQLite store', createTokenStore);
describeRequestLogStoreContract('the SQLite store', createRequestLogStore);
describeInviteStoreContract('the SQLite store', createInviteStore);
describeNodeFactStoreContract('the SQLite store', createNodeFactStore);
describeTaskStoreContract('the SQLite store', createTaskStore);
describeMirrorStoreContract('the SQLite store', createMirrorStore);
describeResultStoreContract('the SQLite store', createResultStore);
describeQuestionStoreContract('the SQLite store', createQuestionStore);
describeApprovalStoreContract('the SQLite store', createApprovalStore);
describeApproverStoreContract('the SQLite store', createApproverStore);
describeWindowStoreContract('the SQLite store', createWindowStore);
describeExecutionStoreContract('the SQLite store', createExecutionStore);
describeSentCommandStoreContract('the SQLite store', createSentCommandStore);

// Unless it is told to fail, the failing store is the real one.
describeLeaseStoreContract('a failing store', () => createFailingStore(createLeaseStore()).store);
describeTaskStoreContract('a failing store', () => createFailingStore(createTaskStore()).store);
describeResultStoreContract('a failing store', () => createFailingStore(createResultStore()).store);
