/** How large a terminal is. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What most have, where one does not say. */
export const USUAL_COLUMNS = 80;
export const USUAL_ROWS = 24;
