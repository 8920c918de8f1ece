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

# git without what a user's settings hide. Only `fetch` and `push` take those: they may need a password.
plain_git() {
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}

# A request's name: plain, so that it is no option, no other folder and no terminal's escape, and short, so that its
# proof's name is none too long for the disk.
plain() {
    name=${1#requests/}
    [ ${#name} -le 100 ] || return 1
    case $1 in
        requests/*[!A-Za-z0-9._-]*.json|requests/.*|requests/-*) return 1 ;;
        requests/*.json) return 0 ;;
        *) return 1 ;;
    esac
}

check() {
    plain_git diff --raw --no-renames --no-relative --ignore-submodules=none --no-ext-diff --no-textconv \
        "$base" HEAD -- > "$work/changed" || fail 4 "no commit $base"
    [ -s "$work/changed" ] || fail 1 "refused: nothing was added"
    tab=$(printf '\t')
    set --
    while IFS=$tab read -r what path; do
        case $what in
            ":000000 100644 "*" A") ;;
            *) fail 1 "refused: $path: expected a new plain file, found a change, a link or a program" ;;
        esac
        plain "$path" || fail 1 "refused: $path: expected requests/NAME.json, of letters, digits, dots and dashes, \
and NAME.json of at most 100"
        set -- "$@" "$path"
    done < "$work/changed"
    code=0
    "$agzamov" log check log "$@" 2> "$work/said" || code=$?
    case $code in
        0) printf '%s\n' "may be merged: $*" ;;
        2) fail 1 "refused: $(cat "$work/said")" ;;
        *) cat "$work/said" >&2; fail 4 "agzamov broke off with exit code $code: nothing was checked; merge nothing" ;;
    esac
}

# How many commits the remote lacks, and how many it has more.
compare() {
    ahead=$(plain_git rev-list --count '@{upstream}..HEAD') && behind=$(plain_git rev-list --count 'HEAD..@{upstream}')
}

# A checkpoint is signed only behind the last one that was published, so that no two have one size.
publish_first() {
    git fetch --quiet --no-tags --no-recurse-submodules || fail 4 "the remote cannot be read: nothing was signed"
    compare || fail 4 "this branch follows none of a remote: git push --set-upstream REMOTE BRANCH, and start again"
    if [ "$behind" != 0 ] && [ "$ahead" != 0 ]; then
        fail 4 "the branch has moved on, and $ahead commits here are not in it: nothing was signed; git pull --rebase, \
and where that finds a conflict drop your unpublished 'Requests appended', then start again"
    fi
    [ "$behind" = 0 ] || fail 4 "the branch has moved on: nothing was signed; git pull, and start this again"
    if [ "$ahead" != 0 ]; then
        git push --quiet ||
            fail 4 "$ahead commits here cannot be pushed: nothing was signed; push them, and start again"
        printf '%s\n' "pushed: $ahead commits of before"
    fi
}

# Push the commit behind $before. It is dropped only where the branch moved on, which nobody can mend here.
publish() {
    git push --quiet && return
    git fetch --quiet --no-tags --no-recurse-submodules && compare ||
        fail 4 "the commit could not be pushed, and the remote cannot be read: start again, and it is pushed first"
    if [ "$behind" != 0 ]; then
        plain_git reset --quiet --hard "$before"
        fail 4 "the branch has moved on: nothing was published; git pull, and start this again"
    fi
    [ "$ahead" = 0 ] || fail 4 "the commit could not be pushed: mend that and start again, and it is pushed first"
}

append() {
    key=${LOG_KEY-}
    if [ -n "${LOG_KEY_PEM-}" ]; then
        key=$work/log.pem
        (umask 077 && printf '%s\n' "$LOG_KEY_PEM" > "$key")
        unset LOG_KEY_PEM
    fi
    [ -n "$key" ] || fail 2 "append needs the log's key: LOG_KEY, its file, or LOG_KEY_PEM, its text"
    [ -z "$(plain_git status --porcelain -- . ':!log/.lock')" ] ||
        fail 4 "$PWD: commit or undo your changes first; a changed log/checkpoint is signed already: commit that"
    [ "$base" != --push ] || publish_first
    set +f
    set -- requests/*.json
    set -f
    for request in "$@"; do
        shift
        [ -f "$request" ] && [ ! -e "$request.tlog-proof" ] && [ ! -e "$request.refused" ] || continue
        if plain "$request"; then
            set -- "$@" "$request"
        else
            echo "left alone: a request with a name that \`check\` does not take"
        fi
    done
    result=0
    if [ $# -gt 0 ]; then
        code=0
        "$agzamov" log append log "$@" --refuse --log-key "$key" || code=$?
        case $code in
            0) ;;
            3) result=1 ;;
            4) result=4 ;;
            2) fail 4 "the log, or its key, is not as it should be: no request was refused for it" ;;
            *) fail 4 "agzamov broke off with exit code $code: no request was refused for it, nothing was committed" ;;
        esac
    fi
    plain_git add --all -- requests log ':!log/.lock' || fail 4 "nothing was committed: see what git says above"
    if plain_git diff --cached --quiet; then
        echo "nothing to append"
    else
        before=$(plain_git rev-parse HEAD)
        plain_git -c user.name=log -c user.email=log@localhost commit --quiet --message "Requests appended" ||
            fail 4 "nothing was committed: see what git says above"
        [ "$base" != --push ] || publish
    fi
    [ "$result" != 4 ] || fail 4 "a file beside a request could not be written, see above: start again, and it is"
    return "$result"
}

if [ "$mode" = check ]; then
    check
else
    append
fi
