/* Section 3 of Docs/Protocol.md: two nodes that may dial each other at the same moment, lose a connection without noticing, and
 * dial again. Node 0 has the smaller peer id.
 *
 * Invariants:
 *   one        a node never sends on two connections to the peer
 *   agreement  once nothing is under way, both nodes have exactly one connection, and it is the same
 *
 * Each MUTANT_... is a wrong rule, under which the search must find a breach. */

#define NODES 2
#define CONNECTIONS 4
#define LOSSES 1
#define ALL (NODES * CONNECTIONS)
#define NONE 255
#define AT(node, connection) ((node) * CONNECTIONS + (connection))

mtype = { first, second, third, goodbye, ended };
/* A connection at one node: dialled or answered, sending, retiring (goodbye sent, still read), or closed. */
mtype = { absent, dialling, answered, sending, retiring, closed };

/* What is under way to a node on a connection. */
chan wire[ALL] = [4] of { mtype };
mtype state[ALL];
/* The peer said goodbye on it. */
bool isGivenUp[ALL];
byte initiator[CONNECTIONS];
/* The node lost it and sends nothing any more, not even its end. */
bool isLost[CONNECTIONS];
/* Connections below this number have been open for ten seconds. */
byte aged;
byte dialled;
byte losses;

inline count_sending(node, result) {
    result = 0;
    for (i : 0 .. CONNECTIONS - 1) {
        if
        :: state[AT(node, i)] == sending -> result++
        :: else
        fi
    }
}

inline post(node, connection, message) {
    if
    :: isLost[connection]
    :: else -> wire[AT(1 - node, connection)] ! message
    fi
}

inline close(node, connection) {
    state[AT(node, connection)] = closed;
    post(node, connection, ended)
}

/* The node has two connections: it sends goodbye on the worse one, and sends nothing more on it. */
inline retire(node, worse) {
#ifndef MUTANT_NO_GOODBYE
    state[AT(node, worse)] = retiring;
    post(node, worse, goodbye);
    if
    :: isGivenUp[AT(node, worse)] -> close(node, worse)
    :: else
    fi
#else
    skip
#endif
}

/* The handshake is done at this node: of two connections the better one is kept. */
inline establish(node, new) {
    other = NONE;
    for (i : 0 .. CONNECTIONS - 1) {
        if
        :: state[AT(node, i)] == sending -> other = i
        :: else
        fi
    }
    state[AT(node, new)] = sending;
    if
    :: other == NONE
#ifndef MUTANT_OLDER_STAYS
    :: other != NONE && (initiator[other] == initiator[new] || other < aged) -> retire(node, other)
#else
    :: other != NONE && (initiator[other] == initiator[new] || other < aged) -> retire(node, new)
#endif
    :: other != NONE && initiator[other] != initiator[new] && other >= aged ->
#ifdef MUTANT_OWN_STAYS
        if
        :: initiator[new] == node -> retire(node, other)
        :: else -> retire(node, new)
        fi
#else
        if
        :: initiator[new] < initiator[other] -> retire(node, other)
        :: else -> retire(node, new)
        fi
#endif
    fi;
    count_sending(node, number);
    assert(number <= 1)
}

inline receive(node, connection, message) {
    if
    :: message == first && state[AT(node, connection)] == absent ->
        state[AT(node, connection)] = answered; post(node, connection, second)
    :: message == second && state[AT(node, connection)] == dialling ->
        post(node, connection, third); establish(node, connection)
    :: message == third && state[AT(node, connection)] == answered -> establish(node, connection)
    :: message == goodbye && state[AT(node, connection)] == retiring -> close(node, connection)
    /* Until the other connection is established here too, it is the only one. */
    :: message == goodbye && state[AT(node, connection)] == sending -> isGivenUp[AT(node, connection)] = true
    :: message == ended -> state[AT(node, connection)] = closed
    :: else
    fi
}

#define IS_STILL(connection) (empty(wire[AT(0, connection)]) && empty(wire[AT(1, connection)]))
/* Seconds pass: nothing is under way any more. */
#define ARE_SECONDS_LATER (IS_STILL(0) && IS_STILL(1) && IS_STILL(2) && IS_STILL(3))
#define IS_OPEN(node, connection) (state[AT(node, connection)] == sending || state[AT(node, connection)] == dialling)
#define HAS_OPEN(node) (IS_OPEN(node, 0) || IS_OPEN(node, 1) || IS_OPEN(node, 2) || IS_OPEN(node, 3))

/* Ten seconds pass, which is longer than anything is under way. */
inline grow_old() {
    quiet = true;
    for (i : 0 .. ALL - 1) {
        if
        :: len(wire[i]) > 0 || state[i] == dialling || state[i] == answered || state[i] == retiring -> quiet = false
        :: else
        fi
    };
    if
    :: quiet -> aged = dialled
    :: else
    fi
}

/* The steps of one node on one connection. */
#define STEPS(connection) \
    :: atomic { nempty(wire[AT(me, connection)]) -> \
        wire[AT(me, connection)] ? message; receive(me, connection, message); \
        other = 0; number = 0; message = 0; i = 0 } \
    /* After two seconds a retiring connection ends in any case. */ \
    :: atomic { ARE_SECONDS_LATER && state[AT(me, connection)] == retiring -> close(me, connection) } \
    /* The machine sleeps or moves: the connection is lost here, and the peer hears nothing of it. */ \
    :: atomic { losses < LOSSES && state[AT(me, connection)] == sending -> \
        losses++; isLost[connection] = true; state[AT(me, connection)] = closed; \
        do \
        :: nempty(wire[AT(me, connection)]) -> wire[AT(me, connection)] ? message \
        :: empty(wire[AT(me, connection)]) -> break \
        od; message = 0 } \
    /* The peer notices at last by the silence. */ \
    :: atomic { isLost[connection] && empty(wire[AT(me, connection)]) && \
        state[AT(me, connection)] != closed && state[AT(me, connection)] != absent -> state[AT(me, connection)] = closed }

proctype node(byte me) {
    byte i, other, number;
    bool quiet, hasDialled;
    mtype message;

end:
    do
    /* A node without a connection dials, if it does not do so already: its first dial crosses that of the peer, a further one
     * comes after a pause. The last dial of the search comes ten seconds later than the others, as those of a node do that goes
     * on: a peer keeps a connection that it does not know to be lost, by the order of the keys, so long. */
    :: atomic {
        dialled < CONNECTIONS && !HAS_OPEN(me) && (!hasDialled || ARE_SECONDS_LATER) &&
        (dialled < CONNECTIONS - 1 || aged == dialled) ->
        hasDialled = true;
        initiator[dialled] = me; state[AT(me, dialled)] = dialling;
        post(me, dialled, first);
        dialled++
    }
    :: atomic { aged < dialled -> grow_old(); quiet = false; i = 0 }
    STEPS(0)
    STEPS(1)
    STEPS(2)
    STEPS(3)
    od
}

#define KEPT(connection) (state[AT(0, connection)] == sending && state[AT(1, connection)] == sending)

/* Nothing else can happen. */
proctype judge() {
    byte i, number;
    timeout;
    count_sending(0, number); assert(number == 1);
    count_sending(1, number); assert(number == 1);
    assert(KEPT(0) || KEPT(1) || KEPT(2) || KEPT(3))
}

init {
    byte i;
    atomic {
        for (i : 0 .. ALL - 1) { state[i] = absent };
        run node(0); run node(1); run judge()
    }
}
