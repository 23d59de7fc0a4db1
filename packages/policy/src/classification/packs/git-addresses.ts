/**
 * An address of another machine, as a part of a pattern: a host and a path are one for ssh, without a user too, and with two colons it
 * names a program. A folder has hooks, which run for whoever pushes there.
 */
export const GIT_ADDRESS = '(?:https?|ssh|git)://[^\\n]*|(?:[\\w.-]+@)?\\w[\\w.-]*:(?!:|//)[^\\n]*';

/**
 * An address of another machine, whole or not: with a scheme, or as git gives it to ssh (`[host]:path` too), which is whatever has a colon
 * and no slash in front of it.
 */
export const GIT_FAR = /^(?!file:\/\/)[^/:]*:/;

const SCOPE =
  '(?:\\n--(?:global|local|worktree|system|show-origin|show-scope|null|name-only|includes|no-includes|all|bool|int|type=[a-z]+))*';
const KEY = '[A-Za-z][\\w-]*\\.(?:[^\\n…]+\\.)?[A-Za-z][\\w-]*';

/** Listing settings, or getting one: a name without a dot is a command of later versions (`edit`). */
export const GIT_CONFIG_LOOKS = new RegExp(
  `^\\nconfig${SCOPE}(?:\\n(?:--list|-l|list)|(?:\\n(?:--get|--get-all|get)${SCOPE})?\\n${KEY}|\\n--get-regexp\\n(?!-)[^\\n…]+)${SCOPE}$`,
);
