/* Section 9 of Docs/Protocol.md: two runs of one identity, the second started last, and a peer that both connect to. Each of the
 * runs may hear of the other from the peer, and once over a connection of their own.
 *
 * A certificate is its epoch and its run; the noise bytes of either run may be the higher ones.
 *
 * Invariants:
 *   one       the two runs never both sign out; once nothing is under way, exactly one goes on
 *   last      a run in its first 15 s does not give way to one that is past its own
 *   known     once nothing is under way, the peer has a link with the run that goes on, with none of the other's, and knows the
 *             newest certificate
 *
 * Each MUTANT_... is a wrong rule, under which the search must find a breach. */

#define RUNS 2
#define REISSUES 2
#define NO_RUN 2

mtype = { certificate, superseded, goodbye, hello };
mtype = { away, linked };

/* To the peer from a run, to a run from the peer, and to a run from the other run. */
chan to_peer[RUNS] = [5] of { mtype, byte, byte };
chan from_peer[RUNS] = [5] of { mtype, byte, byte };
chan to_run[RUNS] = [4] of { mtype, byte, byte };

byte epoch[RUNS];
byte reissues[RUNS];
bool isYoung[RUNS];
bool isOut[RUNS];
bool started[RUNS];
/* The link of each run with the peer, as either side sees it. */
mtype mine[RUNS];
mtype seen[RUNS];
/* The two have had a connection of their own, or can have none. */
bool hasMet;
/* The peer's best certificate. */
byte best_epoch;
byte best_run = NO_RUN;
/* The run with the higher noise bytes. */
byte higher;
/* At the start of the second run the first was past its 15 s. */
bool isFirstOld;

#define IS_BETTER(e1, r1, e2, r2) ((e1) > (e2) || (e1) == (e2) && (r1) != (r2) && (r1) == higher)

inline sign_out(m3, e3, h3) {
    assert(!isOut[1 - m3]);
    assert(!(m3 == 1 && isFirstOld && isYoung[1]));
    isOut[m3] = true;
    if
    :: mine[m3] == linked -> to_peer[m3] ! certificate(e3, h3); to_peer[m3] ! goodbye(0, 0); mine[m3] = away
    :: else
    fi
}

/* A certificate of one's own identity. */
inline hear_of_own(m2, e2, h2, isMeeting) {
    if
    :: isOut[m2] || h2 == m2 -> skip
#ifdef MUTANT_ANY_SIGNS_OUT
    :: !isOut[m2] && h2 != m2 && !IS_BETTER(e2, h2, epoch[m2], m2) -> sign_out(m2, e2, h2)
#else
    /* One that is not better changes nothing; in a meeting the other run gets the better one. */
    :: !isOut[m2] && h2 != m2 && !IS_BETTER(e2, h2, epoch[m2], m2) ->
        if
        :: isMeeting -> to_run[1 - m2] ! superseded(epoch[m2], m2)
        :: else
        fi
#endif
    :: !isOut[m2] && h2 != m2 && IS_BETTER(e2, h2, epoch[m2], m2) ->
        if
#ifdef MUTANT_OLD_REISSUES
        :: reissues[m2] < REISSUES ->
#else
        :: isYoung[m2] && reissues[m2] < REISSUES ->
#endif
            reissues[m2]++;
#ifdef MUTANT_SAME_EPOCH
            epoch[m2] = e2;
#else
            epoch[m2] = e2 + 1;
#endif
            if
            :: mine[m2] == linked -> to_peer[m2] ! certificate(epoch[m2], m2)
            :: else
            fi;
            if
            :: isMeeting -> to_run[1 - m2] ! superseded(epoch[m2], m2)
            :: else
            fi
        :: else -> sign_out(m2, e2, h2)
        fi
    fi
}

proctype run_of_identity(byte me) {
    byte e, holder;
    mtype message;

end:
    do
    :: atomic { !started[me] -> started[me] = true;
        if
        :: me == 1 -> isFirstOld = started[0] && !isYoung[0]
        :: else
        fi }
    /* The run connects, or connects again; a handshake shows both certificates. */
    :: atomic { started[me] && !isOut[me] && mine[me] == away && seen[me] == away && empty(to_peer[me]) && empty(from_peer[me]) ->
        mine[me] = linked; to_peer[me] ! hello(epoch[me], me) }
    :: atomic { nempty(from_peer[me]) -> from_peer[me] ? message(e, holder);
        if
        :: message == certificate || message == superseded -> hear_of_own(me, e, holder, false)
        :: message == goodbye -> mine[me] = away
        :: else
        fi; e = 0; holder = 0; message = 0 }
    /* A handshake of the two: each gets the certificate of the other. */
    :: atomic { !hasMet && started[0] && started[1] && !isOut[0] && !isOut[1] -> hasMet = true;
        to_run[0] ! hello(epoch[1], 1); to_run[1] ! hello(epoch[0], 0) }
    :: atomic { nempty(to_run[me]) -> to_run[me] ? message(e, holder);
        hear_of_own(me, e, holder, message == hello); e = 0; holder = 0; message = 0 }
    /* 15 s after its start. */
    :: atomic { started[me] && isYoung[me] -> isYoung[me] = false }
    od
}

/* The link of a run ends with the better certificate. */
inline supersede(end) {
    if
    :: seen[end] == linked ->
        from_peer[end] ! superseded(best_epoch, best_run); from_peer[end] ! goodbye(0, 0); seen[end] = away
    :: else
    fi
}

inline pass_on(end) {
    if
    :: seen[end] == linked -> from_peer[end] ! certificate(best_epoch, best_run)
    :: else
    fi
}

/* The peer hears a certificate on the link of a run. */
inline learn(l5, e5, h5, isHandshake) {
    if
    :: best_run == NO_RUN -> best_epoch = e5; best_run = h5
    :: best_run != NO_RUN && IS_BETTER(e5, h5, best_epoch, best_run) ->
#ifdef MUTANT_REISSUE_IS_NO_NEWS
        if
        :: h5 != best_run -> best_epoch = e5
        :: else
        fi;
#else
        best_epoch = e5;
#endif
        best_run = h5;
#ifndef MUTANT_EARLIER_LINK_STAYS
        supersede(1 - h5)
#else
        skip
#endif
    :: best_run != NO_RUN && !IS_BETTER(e5, h5, best_epoch, best_run) && h5 != best_run ->
        if
#ifdef MUTANT_WORSE_HANDSHAKE_STAYS
        :: isHandshake -> skip
#else
        :: isHandshake -> supersede(l5)
#endif
        :: !isHandshake -> pass_on(l5)
        fi
    :: else
    fi
}

inline handle(l4, kind, e4, h4) {
    if
    :: kind == hello -> seen[l4] = linked; learn(l4, e4, h4, true)
    /* Whatever comes on a link that is over here is not read. */
    :: kind == certificate && seen[l4] == linked -> learn(l4, e4, h4, false)
    :: kind == goodbye -> seen[l4] = away
    :: else
    fi
}

proctype peer() {
    byte e, holder;
    mtype message;

end:
    do
    :: atomic { nempty(to_peer[0]) -> to_peer[0] ? message(e, holder); handle(0, message, e, holder); e = 0; holder = 0; message = 0 }
    :: atomic { nempty(to_peer[1]) -> to_peer[1] ? message(e, holder); handle(1, message, e, holder); e = 0; holder = 0; message = 0 }
    od
}

#define GOES_ON(holder) (!isOut[holder])

proctype judge() {
    byte on;
    timeout;
    assert(GOES_ON(0) != GOES_ON(1));
    on = (GOES_ON(0) -> 0 : 1);
    assert(best_run == on && best_epoch == epoch[on]);
    assert(seen[on] == linked && mine[on] == linked && seen[1 - on] == away)
}

init {
    atomic {
        /* The runs may reach each other, or the peer alone. */
        if
        :: hasMet = false
        :: hasMet = true
        fi;
        /* The clocks may differ, and epochs are up to ten minutes off: either may have the higher one. */
        select(higher : 0 .. 1);
        if
        :: epoch[0] = 1; epoch[1] = 1
        :: epoch[0] = 1; epoch[1] = 2
        :: epoch[0] = 2; epoch[1] = 1
        fi;
        isYoung[0] = true; isYoung[1] = true;
        mine[0] = away; mine[1] = away; seen[0] = away; seen[1] = away;
        run run_of_identity(0); run run_of_identity(1); run peer(); run judge()
    }
}
