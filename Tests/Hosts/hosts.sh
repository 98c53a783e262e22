#!/usr/bin/env bash
# Hosts with a bus and an Avahi daemon each, on a network of their own: no packet leaves or enters it.
#
#   hosts.sh enter COMMAND...          a new, empty network; COMMAND runs in it, and all ends with COMMAND
#
# and within that network (HOST is a number from 1 to 999):
#
#   hosts.sh add HOST [OPTION...]            lo: no network card; eui64: link-local addresses made from the MAC;
#                                            ipv4, ipv6: addresses of that kind alone, link-local ones of IPv6;
#                                            bare: neither bus nor daemon; quiet: a daemon that does not publish
#                                            its host by itself
#   hosts.sh exec HOST COMMAND...            becomes COMMAND on that host
#   hosts.sh bus HOST | daemon HOST          starts it
#   hosts.sh configure HOST TEXT             starts the daemon with TEXT as its configuration, in the usual place
#   hosts.sh signal HOST bus|daemon SIGNAL   e.g. KILL, STOP, CONT
#   hosts.sh link HOST up|down               the cable
#   hosts.sh address HOST ADDRESS            in place of the addresses of its card
#   hosts.sh attach HOST BRIDGE              to another network (a partition) or back to net0
#   hosts.sh second HOST                     one more card, eth1, on net2
#   hosts.sh isolate HOST                    cut off from the other isolated ones, as on a guest network
#   hosts.sh remove HOST
#
# Works as root and, by a user namespace, as any user. It changes nothing outside the new namespaces.
set -euo pipefail
self=$(realpath "${BASH_SOURCE[0]}")
conf=$(dirname "$self")/Configuration
export PATH=$PATH:/usr/sbin:/sbin
state=${EARSHOT_HOSTS:-}

die() {
    echo "hosts.sh: $*" >&2
    exit 2
}

enter() {
    local flags=(-n -m -p -f --kill-child --mount-proc --propagation private)
    # Also for root in a container that may not make namespaces.
    if [ "$(id -u)" != 0 ] || ! unshare -n -m true 2>/dev/null; then
        flags=(-U -r "${flags[@]}")
        export EARSHOT_ROOTLESS=1
    fi
    unshare "${flags[@]}" bash "$self" inside "$@"
}

# The first process of the namespace stays, so that it reaps orphans.
inside() {
    mount -t tmpfs -o mode=755 tmpfs /run
    export EARSHOT_HOSTS=/run/earshot-hosts
    mkdir -p "$EARSHOT_HOSTS"
    ip link set lo up
    make_bridge net0
    if [ -n "${EARSHOT_ROOTLESS:-}" ]; then own_avahi; fi
    "$@" &
    local status=0
    trap 'kill -TERM %1 2>/dev/null' TERM INT
    wait %1 || status=$?
    return $status
}

make_bridge() {
    ip link show "$1" >/dev/null 2>&1 && return
    # Snooping would drop multicast until a host has joined the group.
    ip link add "$1" type bridge mcast_snooping 0
    ip link set "$1" up
}

# The daemon requires that the user avahi owns its directory; a user namespace of one user has no such user.
own_avahi() {
    { grep -v '^avahi:' /etc/passwd; echo 'avahi:x:0:0::/:/bin/false'; } >"$EARSHOT_HOSTS/passwd"
    { grep -v '^avahi:' /etc/group; echo 'avahi:x:0:'; } >"$EARSHOT_HOSTS/group"
    mount --bind "$EARSHOT_HOSTS/passwd" /etc/passwd
    mount --bind "$EARSHOT_HOSTS/group" /etc/group
}

pid() {
    cat "$state/$1.pid" 2>/dev/null || die "no host $1"
}

on() {
    local host=$1
    shift
    nsenter -t "$(pid "$host")" -n -m -u -- "$@"
}

add() {
    local host=$1 card=1 mode=random kinds='ipv4 ipv6' bare='' configuration=avahi-daemon.conf
    shift
    for option in "$@"; do
        case $option in
        lo) card= ;;
        eui64) mode=eui64 ;;
        ipv4 | ipv6) kinds=$option ;;
        bare) bare=1 ;;
        quiet) configuration=avahi-daemon-quiet.conf ;;
        *) die "no option $option" ;;
        esac
    done
    # The host is a process that holds its namespaces; it prints its id when they are ready.
    mkfifo "$state/$host.up"
    exec 3<>"$state/$host.up"
    rm "$state/$host.up"
    unshare -n -m -u --propagation private bash -c '
        mount -t tmpfs -o mode=755 tmpfs /run
        mkdir -p /run/dbus /run/avahi-daemon
        hostname "$1"
        ip link set lo up
        echo $$ >&3
        exec sleep infinity 3>&-
    ' host "canary-host-$host" </dev/null >/dev/null 2>>"$state/$host.log" &
    read -r -t 10 -u 3 holder || die "host $host does not start: $(cat "$state/$host.log")"
    exec 3>&-
    echo "$holder" >"$state/$host.pid"
    echo "$conf/$configuration" >"$state/$host.conf"
    if [ -n "$card" ]; then plug "$host" "$mode" "$kinds"; fi
    if [ -z "${EARSHOT_ROOTLESS:-}" ] && id avahi >/dev/null 2>&1; then
        on "$host" chown avahi:avahi /run/avahi-daemon
    fi
    if [ -z "$bare" ]; then bus "$host"; daemon "$host"; fi
}

plug() {
    card "$1" eth0 "veth$1" net0 "10.77.$(($1 / 250)).$(($1 % 250 + 1))/16" "$2" "$3"
}

second() {
    make_bridge net2
    card "$1" eth1 "other$1" net2 "10.78.$(($1 / 250)).$(($1 % 250 + 1))/16" random 'ipv4 ipv6'
}

# card HOST NAME PORT BRIDGE ADDRESS MODE KINDS
card() {
    ip link add "$3" type veth peer name "$2" netns "$(pid "$1")"
    ip link set "$3" master "$4" up
    on "$1" bash -c '
        # Duplicate address detection would make an address unusable for a second or two.
        echo 0 2>/dev/null >"/proc/sys/net/ipv6/conf/$1/accept_dad" || true
        ip link set "$1" addrgenmode "$2" 2>/dev/null || true
        if [ "$4" = ipv4 ]; then echo 1 >"/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
        if [ "$4" != ipv6 ]; then ip addr add "$3" dev "$1"; fi
        ip link set "$1" up
        # The kernel sees the cable a little later, and a program that begins before warns of no interface.
        until ip link show dev "$1" | grep -q "state UP"; do :; done
    ' plug "$2" "$6" "$5" "$7"
}

address() {
    on "$1" ip addr flush dev eth0
    on "$1" ip addr add "$2" dev eth0
}

bus() {
    on "$1" dbus-daemon --config-file="$conf/bus.conf" --fork --nopidfile --print-pid=3 3>"$state/$1.bus" \
        2>>"$state/$1.log"
}

daemon() {
    local flags=(--no-rlimits)
    if [ -n "${EARSHOT_ROOTLESS:-}" ]; then flags+=(--no-drop-root --no-chroot); fi
    on "$1" avahi-daemon --file="$(cat "$state/$1.conf")" --daemonize "${flags[@]}" 2>>"$state/$1.log"
    on "$1" cat /run/avahi-daemon/pid >"$state/$1.daemon"
}

configure() {
    on "$1" bash -c '
        printf %s "$1" >/run/avahi-daemon.conf
        mount --bind /run/avahi-daemon.conf /etc/avahi/avahi-daemon.conf
    ' configure "$2"
    echo /etc/avahi/avahi-daemon.conf >"$state/$1.conf"
    daemon "$1"
}

remove() {
    # Kills every process in the host's network.
    local namespace process
    namespace=$(readlink "/proc/$(pid "$1")/ns/net")
    for process in /proc/[0-9]*; do
        if [ "$(readlink "$process/ns/net" 2>/dev/null)" = "$namespace" ]; then
            kill -KILL "${process#/proc/}" || true
        fi
    done
    ip link del "veth$1" 2>/dev/null || true
    ip link del "other$1" 2>/dev/null || true
    rm -f "$state/$1".*
}

[ $# -ge 1 ] || die "no action given (see the head of $self)"
action=$1
shift
case $action in
enter | inside) "$action" "$@" ;;
add | bus | daemon | configure | remove | exec | signal | link | address | attach | isolate | second)
    [ -n "$state" ] || die "not within a network: use 'hosts.sh enter' first"
    host=$1
    shift
    [[ $host =~ ^[1-9][0-9]{0,2}$ ]] || die "no host number: $host"
    case $action in
    exec) exec nsenter -t "$(pid "$host")" -n -m -u -- "$@" ;;
    signal)
        process=$(cat "$state/$host.$1")
        kill -"$2" "$process"
        # The next daemon does not start beside one that is not gone yet.
        if [ "$2" = KILL ]; then
            while [ -e "/proc/$process" ] && ! grep -q '^State:.Z' "/proc/$process/status" 2>/dev/null; do :; done
        fi
        ;;
    link)
        ip link set "veth$host" "$1"
        # The host's kernel sees the cable a little later, and a program that begins before sees what was.
        on "$host" bash -c '
            is_up() { ip link show dev eth0 | grep -q "state UP"; }
            if [ "$1" = up ]; then until is_up; do :; done; else while is_up; do :; done; fi
        ' plug "$1"
        ;;
    isolate) bridge link set dev "veth$host" isolated on ;;
    attach) make_bridge "$1"; ip link set "veth$host" master "$1" ;;
    *) "$action" "$host" "$@" ;;
    esac
    ;;
*) die "no action $action" ;;
esac
