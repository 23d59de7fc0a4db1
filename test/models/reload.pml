/*
 * A reload that takes a right away, against two commands that start: each decides, stores that it runs, and spawns, under the
 * read lock; the reload swaps under the write lock and is acknowledged after it. A window may be open meanwhile.
 *
 *   NO_LOCK   commands start without the read lock
 *   OLD_LOOK  the decision of the proposal is used, not one of this moment
 *   KEEP_OPEN the reload does not close what rests on the right, and the start asks the window alone
 */
byte generation = 1;
bool allowed = true;      /* what the current snapshot grants */
bool windowOpen = true;
byte readers = 0;
bool writing = false;
bool acknowledged = false;
bool lateStart = false;   /* something started after the acknowledgement */
bool illegal = false;     /* something started under a generation that no longer allows it */

inline lockRead() {
#ifdef NO_LOCK
  skip
#else
  atomic { (!writing); readers++ }
#endif
}

inline unlockRead() {
#ifdef NO_LOCK
  skip
#else
  atomic { readers-- }
#endif
}

proctype Command() {
  bool grants = allowed;  /* when it was proposed */
  bool runs = false;
  lockRead();
#ifdef OLD_LOOK
  atomic { runs = (grants && windowOpen) }
#else
#ifdef KEEP_OPEN
  atomic { runs = windowOpen }
#else
  atomic { runs = (allowed && windowOpen) }
#endif
#endif
  if
  :: runs ->
     /* the process is spawned after the transaction */
     atomic {
       if :: acknowledged -> lateStart = true :: else fi;
       if :: !allowed -> illegal = true :: else fi
     }
  :: else
  fi;
  unlockRead()
}

proctype Reload() {
  atomic { (!writing); writing = true }
#ifndef NO_LOCK
  (readers == 0);
#endif
  atomic { generation++; allowed = false }
  atomic { writing = false }
  acknowledged = true;
#ifndef KEEP_OPEN
  /* Windows are closed by a listener, after the lock: the start does not rely on it. */
  atomic { windowOpen = false }
#endif
}

init {
  atomic {
    run Command();
    run Command();
    run Reload();
  }
  (_nr_pr == 1);
  assert(!lateStart);
  assert(!illegal);
}
