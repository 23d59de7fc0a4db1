/*
 * One lease with one use, two starters, a person who revokes, a clock that runs on and may be set back, and pruning.
 * Each atomic block is one transaction; `high` is the highest time that was persisted.
 *
 *   SPLIT      look and count in two transactions
 *   NO_MARK    now is the wall clock, not the highest time that was persisted
 *   PRUNE_ANY  pruning removes what is alive, and a missing lease counts as none needed
 */
#define EXPIRES 2
#define LATE 3

byte wall = 0;
byte high = 0;
bool revoked = false;
bool pruned = false;
byte uses = 0;
bool seenDead = false;  /* somebody was told that the lease has ended */
bool revived = false;   /* it was claimed after that */
bool deadClaim = false; /* it was claimed although it had been revoked */

#ifdef NO_MARK
#define NOW wall
#else
#define NOW (wall > high -> wall : high)
#endif

#ifdef PRUNE_ANY
#define LIVE (pruned || (!revoked && NOW < EXPIRES && uses < 1))
#define MAY_PRUNE true
#else
#define LIVE (!pruned && !revoked && NOW < EXPIRES && uses < 1)
#define MAY_PRUNE (revoked || NOW >= LATE)
#endif

/* A transaction that looks at the time persists it. */
inline persist() { high = NOW }

inline count() {
  uses++;
  if :: seenDead -> revived = true :: else fi;
  if :: (revoked || pruned) -> deadClaim = true :: else fi
}

inline refuse() {
  if :: (revoked || pruned || NOW >= EXPIRES) -> seenDead = true :: else fi
}

proctype Starter() {
#ifdef SPLIT
  bool may;
  atomic { may = LIVE; persist() }
  atomic { if :: may -> count() :: else -> refuse() fi; persist() }
#else
  atomic { if :: LIVE -> count() :: else -> refuse() fi; persist() }
#endif
}

proctype Person() {
  if
  :: atomic { revoked = true; persist() }
  :: skip
  fi
}

proctype Clock() {
  byte steps = 0;
  do
  :: (steps < 4 && wall < LATE) -> atomic { wall++; steps++ }
  :: (steps < 4 && wall > 0) -> atomic { wall--; steps++ }
  :: break
  od
}

proctype Pruner() {
  atomic { if :: MAY_PRUNE -> pruned = true :: else fi; persist() }
}

init {
  atomic {
    run Starter();
    run Starter();
    run Starter();
    run Person();
    run Clock();
    run Pruner();
  }
  (_nr_pr == 1);
  assert(uses <= 1);
  assert(!revived);   /* a dead lease never becomes live again, pruning included */
  assert(!deadClaim);
}
