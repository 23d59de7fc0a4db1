/** Row types of every table, for Kysely. */
export type Tables = {};
