import type { TaskViewData } from '../views/task-view.ts';

/** A record of either side; a delegation to this node itself shows as the asking one. */
export interface Row {
  readonly side: 'asked' | 'executing';
  readonly id: string;
  /** When this node recorded it: falls with the order of its table, on both sides by the same clock. */
  readonly createdAtMs: number;
  /** This node asked itself. */
  readonly isOwn: boolean;
  readonly view: () => TaskViewData;
}

/** Where a page went on: the last record taken of each side. */
export interface Cursor {
  asked?: string;
  executing?: string;
}
