import { z } from 'zod';

/** What git reads as settings from its environment, and by what it finds more of them; none of it names a program. */
const GITS_WORDS =
  /^(HOME|XDG_CONFIG_HOME|GIT_ATTR_NOSYSTEM|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|PARAMETERS|COUNT|(KEY|VALUE)_[0-9]{1,3}))=/;
/** Most characters of one of them, and most of them: key and value of 256 settings, their count, and what else there is. */
const LONGEST_WORD = 8192;
const MOST_WORDS = 2 * 256 + 8;

/**
 * What the shell says to git of whoever calls, `NAME=value` each, all of it; absent: what the node's own environment says. For a
 * person's command, see `McpExposure.without`.
 */
export const gitWordsField = z
  .array(
    z
      .string()
      .max(LONGEST_WORD)
      .regex(GITS_WORDS, { message: 'names nothing that git reads as settings' })
      .refine((word) => !word.includes('\0'), { message: 'may not contain NUL' }),
  )
  .max(MOST_WORDS);

/** Permissions that files are made without, as a number: 18 is `022`. */
export const umaskField = z.number().int().min(0).max(0o777);
