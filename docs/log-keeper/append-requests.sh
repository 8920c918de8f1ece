#!/bin/sh
# Keeps a log of registrations in a git repository: its folder `log`, and requests as files in `requests`.
#
#     sh append-requests.sh check REPOSITORY BASE    may what was committed since BASE be merged?
#     sh append-requests.sh append REPOSITORY        append every request that has no proof yet, sign, commit
#     sh append-requests.sh append REPOSITORY --push and push
#
# `check` needs no key. `append` needs LOG_KEY, the file of the log's key, or LOG_KEY_PEM, its text. AGZAMOV is the
# program, by default `agzamov`. A request that counts for nothing gets a file `.refused` with the reason in the place
# of its proof. Exit code 0: all may be merged, or were appended. 1: one was refused. 2: wrong use. 4: nothing was done.
set -euf
LC_ALL=C
export LC_ALL
agzamov=${AGZAMOV:-agzamov}

# No `echo` of what others wrote: that of some shells would make a terminal's escapes of it.
fail() {
    printf '%s\n' "$2" >&2
    exit "$1"
}

mode=${1-}
case $mode,$#,${3-} in
    check,3,*|append,2,|append,3,--push) ;;
    *) fail 2 "usage: append-requests.sh check REPOSITORY BASE | append REPOSITORY [--push]" ;;
esac
command -v "$agzamov" > /dev/null || fail 2 "this needs the program agzamov, or its path in AGZAMOV"
base=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 4' HUP INT TERM
cd "$2" || exit 2

# A request's name: plain, so that it is no option, no other folder and no terminal's escape.
plain() {
    case $1 in
        requests/*[!A-Za-z0-9._-]*.json|requests/.*|requests/-*) return 1 ;;
        requests/*.json) return 0 ;;
        *) return 1 ;;
    esac
}

check() {
    git diff --raw --no-renames --no-ext-diff --no-textconv "$base" HEAD > "$work/changed" || fail 4 "no commit $base"
    [ -s "$work/changed" ] || fail 1 "refused: nothing was added"
    tab=$(printf '\t')
    set --
    while IFS=$tab read -r what path; do
        case $what in
            ":000000 100644 "*" A") ;;
            *) fail 1 "refused: $path: expected a new plain file, found a change, a link or a program" ;;
        esac
        plain "$path" || fail 1 "refused: $path: expected requests/NAME.json, of letters, digits, dots and dashes"
        set -- "$@" "$path"
    done < "$work/changed"
    "$agzamov" log check log "$@" 2> "$work/said" || fail 1 "refused: $(cat "$work/said")"
    printf '%s\n' "may be merged: $*"
}

append() {
    key=${LOG_KEY-}
    if [ -n "${LOG_KEY_PEM-}" ]; then
        key=$work/log.pem
        (umask 077 && printf '%s\n' "$LOG_KEY_PEM" > "$key")
        unset LOG_KEY_PEM
    fi
    [ -n "$key" ] || fail 2 "append needs the log's key: LOG_KEY, its file, or LOG_KEY_PEM, its text"
    [ -z "$(git status --porcelain -- . ':!log/.lock')" ] || fail 4 "$PWD: commit or undo your changes first"
    set +f
    set -- requests/*.json
    set -f
    for request in "$@"; do
        shift
        if plain "$request" && [ -f "$request" ] && [ ! -e "$request.tlog-proof" ] && [ ! -e "$request.refused" ]; then
            set -- "$@" "$request"
        fi
    done
    refused=0
    if [ $# -gt 0 ]; then
        "$agzamov" log append log "$@" --refuse --log-key "$key" || refused=$?
        [ "$refused" -le 1 ] || fail 4 "the log, or its key, is not as it should be: no request was refused for it"
    fi
    git add --all -- requests log ':!log/.lock'
    if git diff --cached --quiet; then
        echo "nothing to append"
    else
        before=$(git rev-parse HEAD)
        git -c user.name=log -c user.email=log@localhost commit --quiet --message "Requests appended"
        if [ "$base" = --push ] && ! git push --quiet; then
            git reset --quiet --hard "$before"
            fail 4 "the branch has moved on, or cannot be pushed to: nothing was published; pull, and start this again"
        fi
    fi
    return "$refused"
}

if [ "$mode" = check ]; then
    check
else
    append
fi
