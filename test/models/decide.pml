/*
 * One approval, two deciders (a yes and a no), a session that may end, and the worker that uses a yes.
 * Each atomic block is one transaction of the store. Broken variants are made with -D: see models.test.ts.
 *
 *   SPLIT    look and change in two transactions
 *   NO_STATE the change does not ask whether it is still pending
 *   NO_ALIVE the session is not looked at
 *   REUSE    a yes is not marked used
 */
mtype = { pending, approved, denied };

mtype state = pending;
bool alive = true;
bool used = false;
byte finals = 0;     /* final decisions that were written */
byte wins = 0;       /* deciders that were told that they decided */
byte runs = 0;       /* how often the action ran */
byte events = 0;
bool lateWin = false; /* somebody decided after the session had ended */

inline write(answer) {
  state = answer;
  finals++;
  wins++;
  events++;
  if :: !alive -> lateWin = true :: else fi
}

#ifdef NO_STATE
#define WAITS true
#else
#define WAITS (state == pending)
#endif

#ifdef NO_ALIVE
#define LIVES true
#else
#define LIVES alive
#endif

proctype Decider(mtype answer) {
#ifdef SPLIT
  bool may;
  atomic { may = (WAITS && LIVES) }
  atomic { if :: may -> write(answer) :: else fi }
#else
  atomic { if :: (WAITS && LIVES) -> write(answer) :: else fi }
#endif
}

proctype Session() {
  if
  :: atomic { alive = false }
  :: skip
  fi
}

#ifdef REUSE
#define UNUSED true
#else
#define UNUSED (!used)
#endif

proctype Worker() {
  atomic { if :: (state == approved && UNUSED && alive) -> used = true; runs++ :: else fi }
}

init {
  atomic {
    run Decider(approved);
    run Decider(denied);
    run Decider(approved);
    run Session();
    run Worker();
    run Worker();
  }
  (_nr_pr == 1);
  assert(finals <= 1);          /* at most one final decision */
  assert(wins == finals && events == finals);
  assert(runs <= 1);            /* a yes runs once */
  assert(runs == 0 || state == approved);
  assert(!lateWin);             /* a vanished session is an error, never a success */
}
