# Sourced by the other scripts: paths, and the installation of missing packages. It prints to standard error only, because
# standard output belongs to the chat, and never reads standard input, which holds the chat's lines.

set -u
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$root/.build

# Building and testing need a locale that every system has; the program that the user starts gets the user's own.
readonly own_locale=${LC_ALL-} own_home=${HOME-}
export LC_ALL=${LC_ALL:-C.UTF-8} PYTHONUTF8=1 PYTHONDONTWRITEBYTECODE=1
PATH=${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin

say() { printf 'earshot: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# Package -> a file that only it contains. Looking for files takes a millisecond, asking dpkg thirty.
# The first group is needed by the toolchain on a bare system, the second by the program.
readonly to_build='
    g++                           /usr/lib/gcc/*/*/libstdc++.so
    libc6-dev                     /usr/include/stdio.h
    libncurses6                   /usr/lib/*/libncurses.so.6
    libsqlite3-0                  /usr/lib/*/libsqlite3.so.0
    libcurl4                      /usr/lib/*/libcurl.so.4
    libxml2                       /usr/lib/*/libxml2.so.*
    libuuid1                      /usr/lib/*/libuuid.so.1

    libavahi-client-dev           /usr/include/avahi-client/client.h
    libavahi-core-dev             /usr/include/avahi-core/core.h
    libqrencode-dev               /usr/include/qrencode.h
    librabbitmq-dev               /usr/include/amqp_ssl_socket.h
    libsodium-dev                 /usr/include/sodium.h
    libwebsockets-dev             /usr/include/libwebsockets.h
'
# shellcheck disable=SC2034  # the scripts that source this use it
readonly to_test='
    appstream                     /usr/bin/appstreamcli
    avahi-daemon                  /usr/sbin/avahi-daemon
    binutils                      /usr/bin/readelf
    chromium                      /usr/bin/chromium
    curl                          /usr/bin/curl
    dbus                          /usr/bin/dbus-daemon
    desktop-file-utils            /usr/bin/desktop-file-validate
    epic5                         /usr/bin/epic5
    firefox-esr                   /usr/bin/firefox-esr
    fish                          /usr/bin/fish
    fonts-noto-cjk                /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc
    fonts-noto-color-emoji        /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf
    ii                            /usr/bin/ii
    iproute2                      /usr/sbin/ip
    irssi                         /usr/bin/irssi
    jq                            /usr/bin/jq
    mandoc                        /usr/bin/mandoc
    minisign                      /usr/bin/minisign
    nftables                      /usr/sbin/nft
    openssl                       /usr/bin/openssl
    qrencode                      /usr/bin/qrencode
    rabbitmq-server               /usr/lib/rabbitmq/bin/rabbitmq-server
    python3                       /usr/bin/python3
    python3-venv                  /usr/lib/python3*/ensurepip/__main__.py
    shellcheck                    /usr/bin/shellcheck
    socat                         /usr/bin/socat
    spin                          /usr/bin/spin
    systemd                       /usr/bin/systemd-analyze
    tmux                          /usr/bin/tmux
    weechat-curses                /usr/bin/weechat
    weechat-plugins               /usr/lib/*/weechat/plugins/typing.so
    xvfb                          /usr/bin/Xvfb
    znc                           /usr/bin/znc
    zsh                           /usr/bin/zsh
    golang-github-flynn-noise-dev /usr/share/gocode/src/github.com/flynn/noise/vectors.txt
'

# Gives what a script starts for the user the locale and the home that the user has.
restore_surroundings() {
    if [ -n "$own_locale" ]; then export LC_ALL=$own_locale; else unset LC_ALL; fi
    if [ -n "$own_home" ]; then export HOME=$own_home; else unset HOME; fi
}

# Fills `missing` with the packages of a list whose file does not exist.
find_missing() {
    local package file
    missing=()
    while read -r package file; do
        [ -z "$package" ] || compgen -G "$file" >/dev/null || missing+=("$package")
    done <<<"$1"
}

# Installs the missing packages of a list; prints nothing if none is missing.
require() {
    local list=$1 missing=()
    find_missing "$list"
    [ ${#missing[@]} = 0 ] && return
    local wanted="apt-get install --no-install-recommends ${missing[*]}" as_root=()
    type -P apt-get >/dev/null || die "missing: ${missing[*]}; install them (Debian's names) and try again"
    if [ "$(id -u)" != 0 ]; then
        type -P sudo >/dev/null || die "missing: ${missing[*]}; as root, run: $wanted"
        as_root=(sudo)
        # Without a terminal the user can not type a password.
        [ -t 2 ] || as_root=(sudo -n)
    fi
    say "installing ${missing[*]}"
    install_packages || die "could not install; as root, run: $wanted"
    find_missing "$list"
    [ ${#missing[@]} = 0 ] || die "installed, but still missing: ${missing[*]}"
}

# Uses `missing` and `as_root`. It starts no daemon that only the tests need, neither now nor at the next boot.
install_packages() {
    local output package
    forbid_starting_services
    compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || apt update >/dev/null
    # Outdated package lists name removed versions.
    output=$(apt install "${missing[@]}" || { apt update && apt install "${missing[@]}"; }) || {
        printf '%s\n' "$output" >&2
        return 1
    }
    allow_starting_services
    for package in "${missing[@]}"; do
        case $package in
            avahi-daemon | rabbitmq-server | mosquitto) keep_stopped "$package" ;;
        esac
    done
}

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null 2>&1
}

readonly policy=/usr/sbin/policy-rc.d
policy_is_ours=0

# Debian's switch against starting services on installation; it is removed again in all cases.
forbid_starting_services() {
    [ -e $policy ] && return
    policy_is_ours=1
    trap allow_starting_services EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee $policy >/dev/null
    "${as_root[@]}" chmod 755 $policy
}

allow_starting_services() {
    [ $policy_is_ours = 0 ] || "${as_root[@]}" rm -f $policy
    policy_is_ours=0
}

keep_stopped() {
    [ ! -d /run/systemd/system ] || "${as_root[@]}" systemctl --quiet disable "$1.service" 2>/dev/null
    say "$1 is installed for the tests; it was not started"
}

# Puts the toolchain on PATH.
find_swift() {
    local directory
    type -P swift >/dev/null && return
    for directory in /opt/swift/usr/bin /usr/share/swift/usr/bin /usr/libexec/swift/*/bin \
        "${HOME:-/nonexistent}/.local/share/swiftly/bin" "${HOME:-/nonexistent}/.swiftly/bin"; do
        [ -x "$directory/swift" ] && PATH=$directory:$PATH && return
    done
    die "no Swift toolchain found; install Swift 6.3 (https://www.swift.org/install/linux) and put it on the PATH"
}

# Everything that SwiftPM keeps goes into .build, so that it needs no home directory.
readonly places=(
    --package-path "$root" --cache-path "$build/cache" --config-path "$build/configuration"
    --security-path "$build/security")

# No index for editors, and no information for debuggers: it has the names of folders in it, and the linker drops it anyway.
readonly lean_build=(--disable-index-store -debug-info-format none)

prepare_build() {
    require "$to_build"
    find_swift
    mkdir -p "$build" 2>/dev/null
    [ -w "$build" ] || die "can't write to $build; use a clone of your own"
    [ -w "${HOME:-/nonexistent}" ] || export HOME=$build/home
    mkdir -p "$HOME"
}

# Prints the folder of the compiler, which has the tools of its version of LLVM too.
compiler_folder() { dirname "$(readlink -f "$(type -P swift)")"; }

# Whether the toolchain brings libFuzzer.
has_fuzzer() { compgen -G "$(compiler_folder)/../lib/clang/*/lib/linux/libclang_rt.fuzzer-$(uname -m).a" >/dev/null; }

# Installs the PyPI packages of the interoperability tests in a folder of their own. The list is whole: of nicegui it has none of
# the dependencies, since the tests read one file of it.
prepare_python() {
    local wanted=$root/Tests/Interop/requirements.txt environment=$build/python
    export EARSHOT_TEST_PYTHON=/usr/bin/python3
    [ -f "$wanted" ] || return
    export EARSHOT_TEST_PYTHON=$environment/bin/python
    cmp -s "$wanted" "$environment/requirements.txt" && return
    say "installing what Tests/Interop/requirements.txt names into $environment (pip)"
    /usr/bin/python3 -m venv --clear "$environment" >&2 &&
        "$EARSHOT_TEST_PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps -r "$wanted" </dev/null >&2 &&
        cp "$wanted" "$environment/requirements.txt" && return
    say 'could not install them; the interoperability tests will fail'
    [ -x "$EARSHOT_TEST_PYTHON" ] || export EARSHOT_TEST_PYTHON=/usr/bin/python3
}

readonly program=$build/program/earshot

# True if no source is newer than the program. A removed file changes the time of its folder.
program_is_current() { is_current "$program"; }

is_current() {
    [ -x "$1" ] && [ -z "$(find "$root/Package.swift" "$root/Sources" -newer "$1" -print -quit)" ]
}

# Builds the program in release mode with Swift's libraries in it, as `$program`.
build_program() { build_product earshot "$program"; }

# Exports EARSHOT_BINARY, the program to test: the caller's own, or one of these sources.
export_program() {
    [ -z "${EARSHOT_BINARY-}" ] || return 0
    program_is_current || build_program || die 'the program does not build in release mode'
    export EARSHOT_BINARY=$program
}

readonly benchmarks=$build/program/benchmarks

# Builds `$benchmarks` unless it is up to date.
build_benchmarks() {
    is_current "$benchmarks" || build_product Benchmarks "$benchmarks" || die 'the build failed; the lines above say why'
}

# Prints the time of the sources in seconds since 1970: of the last commit, or, without a history, the date of the version.
source_time() {
    # A clone of another user is read too: its scripts run already.
    [ -e "$root/.git" ] && git -c safe.directory="$root" -C "$root" log -1 --format=%ct 2>/dev/null ||
        version_date +%s
}

# version_date FORMAT: the date of the version, as `date` prints it.
version_date() { date -ud "$(sed -n 's/.*static let date = "\(.*\)"/\1/p' "$root/Sources/Commands/Version.swift")" "$1"; }

# build_product PRODUCT FILE [PACKAGE]: builds a product of this package or another in release mode.
build_product() {
    prepare_build
    say "building $1 (the first time takes some minutes)"
    # A source that changes during the build is newer than this file, so the next build includes it.
    local started=$build/started.$1 package=${3:-$root}
    : >"$started"
    # Link-time optimisation inlines across modules, which takes a fourteenth off the time of each message. It needs the
    # toolchain's linker.
    local linking=(--experimental-lto-mode full -Xswiftc -use-ld=lld -Xlinker -s)
    # Functions with the same machine code are one in the program: a twentieth of its size.
    linking+=(-Xlinker --icf=all)
    # Machine code that repeats often is a function of its own: a fiftieth of its size for half a percent more instructions.
    linking+=(-Xlinker -mllvm -Xlinker -enable-machine-outliner=always)
    linking+=(-Xlinker -mllvm -Xlinker -outliner-benefit-threshold=64)
    # Without tables for unwinding, and without what of the standard library nothing uses: a sixth of its size.
    linking+=(-Xlinker --no-eh-frame-hdr -Xlinker -T -Xlinker "$root/Scripts/program.ld")
    # Relative relocations take a tenth of the size; glibc 2.36 and later load them.
    printf 'glibc 2.36\n%s\n' "$(getconf GNU_LIBC_VERSION)" | sort --check=quiet --version-sort &&
        linking+=(-Xlinker -z -Xlinker pack-relative-relocs)
    # Swift 6.3.1 orders some of its work by addresses in its memory, so that one source has two results where they are random.
    local fixed=(setarch "$(uname -m)" --addr-no-randomize)
    "${fixed[@]}" true 2>/dev/null || fixed=()
    # In a place of its own, as SwiftPM builds one thing at a time in each: the tests are built beside it.
    local place=$package/.build/optimised
    "${fixed[@]}" swift build "${places[@]}" --package-path "$package" --scratch-path "$place" --configuration release --static-swift-stdlib \
        --disable-local-rpath "${lean_build[@]}" "${linking[@]}" --product "$1" </dev/null >&2 || return
    mkdir -p "$(dirname "$2")"
    cp "$place/release/$1" "$2.new" && touch -r "$started" "$2.new" && mv "$2.new" "$2"
}
