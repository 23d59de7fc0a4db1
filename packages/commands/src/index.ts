export type { SentCommand, SentCommandNews, SentCommandRef } from '@writ/lease-store';
export {
  type CommandPlace,
  type Commands,
  type CommandsOptions,
  createCommands,
  type LocalCaller,
} from './commands.ts';
export { createCommandDesk, type LiveCommandDesk } from './desk.ts';
export type { CommandDeskOptions } from './parts.ts';
export type {
  CommandCaller,
  CommandDesk,
  CommandOrder,
  CommandProcess,
  CommandProcesses,
  CommandReport,
  CommandSpec,
  CommandStep,
  CommandView,
  OutgoingWish,
  OutputPiece,
  PeerCommands,
  PlanSpec,
  QuestionView,
  SentCommands,
  WatchedCommand,
  Wish,
  WishAnswer,
} from './types.ts';
export { checkWish } from './wish.ts';
