/* Section 8 of Docs/Protocol.md: a direct conversation of two peers, whose connection is cut and comes back. Either user may write,
 * accept, decline and leave, at any moment.
 *
 * Invariants:
 *   consent    a text is shown only while the user of its receiver has agreed: has accepted, or has written too
 *   request    a peer is asked once: of an unanswered peer nothing but the request's text is seen
 *   once       no message is shown twice
 *   receipt    a message is delivered for its author only if its receiver has taken it
 *   monotone   a message that failed, or was delivered, stays so
 *   settled    once nothing is under way and the connection is there, a message is delivered or failed, unless its receiver has
 *              not agreed
 *
 * Each MUTANT_... is a wrong rule, under which the search must find a breach. */

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef CUTS
#define CUTS 1
#endif
#ifndef LEAVES
#define LEAVES 1
#endif
#define NONE 255
#define ALL (2 * MESSAGES)
#define AT(peer, number) ((peer) * MESSAGES + (number))

mtype = { request, acceptance, departure, text, receipt };
mtype = { nothing, asked, asking, accepted, declined, left };
mtype = { unwritten, waiting, delivered, failed };

/* To each peer: the kind, and the number of the message at its author. */
chan wire[2] = [8] of { mtype, byte };
bool isUp = true;
byte cuts;
byte leaves;

mtype state[2];
/* The request that waits for the answer of this user. */
byte open_request[2];
/* The latest request that is not shown: declined, or sent while another one was open. */
byte unseen[2];
mtype status[ALL];
bool isRequest[ALL];
/* Sent on the present connection. */
bool isSent[ALL];
/* The receiver has taken the message: shown it as one of the conversation, or knows it as declined. */
bool isShown[ALL];
bool isDeclined[ALL];
bool hadAccepted[ALL];
byte written[2];
/* The user has agreed since the last departure. */
bool hasAgreed[2];
/* A side that left still waits for receipts on this connection. */
bool isWaiting[2];

inline post(p0, kind, n0) {
    if
    :: isUp -> wire[1 - p0] ! kind(n0)
    :: else
    fi
}

/* A message of an author gets its outcome, the first one for ever. */
inline settle(p1, n1, result) {
    if
#ifdef MUTANT_OUTCOMES_CHANGE
    :: true ->
#else
    :: status[AT(p1, n1)] == waiting ->
#endif
        assert(status[AT(p1, n1)] == waiting || status[AT(p1, n1)] == result);
        status[AT(p1, n1)] = result
    :: else
    fi
}

/* The author sends what no receipt has named, in the order of its making. */
inline send_again(p2, withRequests) {
    for (k : 0 .. MESSAGES - 1) {
        if
        :: status[AT(p2, k)] == waiting && isRequest[AT(p2, k)] && withRequests ->
            isSent[AT(p2, k)] = isUp; post(p2, request, k)
        :: status[AT(p2, k)] == waiting && !isRequest[AT(p2, k)] && state[p2] == accepted ->
            isSent[AT(p2, k)] = isUp; post(p2, text, k)
        :: else
        fi
    }
}

/* A message of the peer is shown in the conversation, and acknowledged. */
inline display(p3, n3) {
    assert(hasAgreed[p3]);
    isShown[AT(1 - p3, n3)] = true;
    post(p3, receipt, n3)
}

/* The conversation is accepted: a hidden request is acknowledged, and shown if this user has not declined it. */
inline take_hidden(p5) {
#ifndef MUTANT_HIDDEN_STAYS
    if
    :: unseen[p5] != NONE && isDeclined[AT(1 - p5, unseen[p5])] -> post(p5, receipt, unseen[p5])
    :: unseen[p5] != NONE && !isDeclined[AT(1 - p5, unseen[p5])] -> display(p5, unseen[p5])
    :: else
    fi;
#endif
    unseen[p5] = NONE
}

inline give_up(p4) {
    for (k : 0 .. MESSAGES - 1) {
        if
        :: status[AT(p4, k)] == waiting -> status[AT(p4, k)] = failed
        :: else
        fi
    }
}

inline receive(me, kind, n) {
    if
    :: kind == request ->
        if
        :: state[me] == left && (hadAccepted[AT(1 - me, n)] || isShown[AT(1 - me, n)]) -> post(me, departure, 0)
        :: state[me] == nothing || state[me] == left && !hadAccepted[AT(1 - me, n)] && !isShown[AT(1 - me, n)] ->
            if
            :: isWaiting[me] -> isWaiting[me] = false; give_up(me)
            :: else
            fi;
#ifdef MUTANT_REQUEST_IS_CONSENT
            state[me] = accepted; display(me, n)
#else
#ifdef MUTANT_RECEIPT_BEFORE_CONSENT
            post(me, receipt, n);
#endif
            state[me] = asked; open_request[me] = n; unseen[me] = NONE
#endif
        :: state[me] == asked || state[me] == declined ->
            if
            :: state[me] == asked && open_request[me] == n
            :: else -> unseen[me] = n
            fi
        :: state[me] == asking || state[me] == accepted ->
            /* An earlier one that is hidden has failed at its author. */
            unseen[me] = NONE;
            if
            :: state[me] == asking -> state[me] = accepted
            :: else
            fi;
            hadAccepted[AT(1 - me, n)] = true;
            post(me, acceptance, 0);
            /* One that was declined stays hidden, and is acknowledged. */
            if
            :: isDeclined[AT(1 - me, n)] -> post(me, receipt, n)
            :: else -> display(me, n)
            fi;
            send_again(me, false)
        fi
    :: kind == acceptance ->
        if
        :: state[me] == asking -> state[me] = accepted; take_hidden(me); send_again(me, false)
        :: state[me] == accepted -> send_again(me, false)
        :: state[me] == left -> post(me, departure, 0)
        :: else
        fi
    :: kind == text ->
        if
        :: state[me] == asking -> state[me] = accepted; take_hidden(me); display(me, n)
        :: state[me] == accepted -> display(me, n)
        :: state[me] == left -> post(me, departure, 0)
        /* The other side thinks that we accepted once. */
        :: state[me] == nothing -> state[me] = asked; open_request[me] = n
#ifdef MUTANT_TEXT_NEEDS_NO_CONSENT
        :: state[me] == asked || state[me] == declined -> display(me, n)
#endif
        :: else
        fi
    :: kind == departure ->
        unseen[me] = NONE;
        if
        :: state[me] == asking || state[me] == asked || state[me] == accepted ->
            state[me] = left; hasAgreed[me] = false; give_up(me)
        :: else
        fi
    :: kind == receipt ->
        assert(isShown[AT(me, n)] || isDeclined[AT(me, n)]);
        settle(me, n, delivered);
        if
        :: state[me] == asking && isRequest[AT(me, n)] -> state[me] = accepted; take_hidden(me); send_again(me, false)
        :: else
        fi
    fi
}

inline write(me) {
    n = written[me]; written[me]++; hasAgreed[me] = true;
    if
    :: state[me] == nothing || state[me] == left || state[me] == declined ->
        if
        :: isWaiting[me] -> isWaiting[me] = false; give_up(me)
        :: else
        fi;
        status[AT(me, n)] = waiting; isRequest[AT(me, n)] = true; state[me] = asking; isSent[AT(me, n)] = isUp; post(me, request, n)
    :: state[me] == asked -> status[AT(me, n)] = waiting; accept(me); isSent[AT(me, n)] = isUp; post(me, text, n)
    :: state[me] == accepted -> status[AT(me, n)] = waiting; isSent[AT(me, n)] = isUp; post(me, text, n)
    fi
}

inline accept(me) {
    hasAgreed[me] = true; state[me] = accepted; hadAccepted[AT(1 - me, open_request[me])] = true;
    post(me, acceptance, 0);
    display(me, open_request[me]);
    take_hidden(me)
}

/* What was sent on this connection may still be acknowledged; the rest has failed. */
inline leave(me) {
    state[me] = left; hasAgreed[me] = false; isWaiting[me] = true; unseen[me] = NONE;
    for (k : 0 .. MESSAGES - 1) {
        if
        :: status[AT(me, k)] == waiting && !isSent[AT(me, k)] -> status[AT(me, k)] = failed
        :: else
        fi
    };
    post(me, departure, 0)
}

proctype peer(byte me) {
    byte n, k;
    mtype kind;

end:
    do
    :: atomic { nempty(wire[me]) -> wire[me] ? kind(n); receive(me, kind, n); n = 0; k = 0; kind = 0 }
    :: atomic { written[me] < MESSAGES && state[me] != asking -> write(me); n = 0 }
    :: atomic { state[me] == asked -> accept(me) }
    :: atomic { state[me] == asked -> state[me] = declined; isDeclined[AT(1 - me, open_request[me])] = true;
        if
        :: unseen[me] == NONE -> unseen[me] = open_request[me]
        :: else
        fi }
    :: atomic { leaves < LEAVES && (state[me] == asking || state[me] == accepted) -> leaves++; leave(me); k = 0 }
    od
}

proctype connection() {
    byte k, n;
    mtype kind;

end:
    do
    /* All that is under way is lost; a side that left waits no longer. */
    :: atomic { isUp && cuts < CUTS -> cuts++; isUp = false;
        do
        :: nempty(wire[0]) -> wire[0] ? kind(n)
        :: empty(wire[0]) -> break
        od;
        do
        :: nempty(wire[1]) -> wire[1] ? kind(n)
        :: empty(wire[1]) -> break
        od;
        for (k : 0 .. ALL - 1) { isSent[k] = false };
        if
        :: isWaiting[0] -> isWaiting[0] = false; give_up(0)
        :: else
        fi;
        if
        :: isWaiting[1] -> isWaiting[1] = false; give_up(1)
        :: else
        fi;
        k = 0; n = 0; kind = 0 }
    :: atomic { !isUp -> isUp = true;
#ifndef MUTANT_NOTHING_AGAIN
        send_again(0, true); send_again(1, true);
#endif
        k = 0 }
    od
}

#define IS_SETTLED(p, m) (status[AT(p, m)] != waiting || !hasAgreed[1 - (p)])

/* Nothing is under way, and no user does anything more. */
proctype judge() {
    byte k;
    timeout;
    for (k : 0 .. MESSAGES - 1) {
        assert(IS_SETTLED(0, k)); assert(IS_SETTLED(1, k))
    }
}

init {
    byte k;
    atomic {
        state[0] = nothing; state[1] = nothing; unseen[0] = NONE; unseen[1] = NONE;
        for (k : 0 .. ALL - 1) { status[k] = unwritten };
        run peer(0); run peer(1); run connection(); run judge()
    }
}
