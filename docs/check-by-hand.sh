#!/bin/sh
# Checks a result bundle with jq, openssl, base64, sha256sum, find and gzip alone: nothing of ours runs.
#
#     sh check-by-hand.sh BUNDLE PUBLIC_KEY.pem
#
# BUNDLE is the folder of a bundle; PUBLIC_KEY.pem is the submitter's Ed25519 key, from a place that
# you trust: a bundle never says whom to trust. Exit code 0: all of this holds. 1: something does not,
# and the last line says what. 2: wrong use.
#
# What this does not check: that each line of a journal names the one before it (`prev`), the roots over
# the lines (`root`), which files may stand below data/, what bag-info.txt and the statement say besides,
# and that the games follow from the seed and the replies. `agzamov-verify check` does all of that. No
# check can show that the replies were really given.
set -euf
LC_ALL=C
export LC_ALL

if [ $# -ne 2 ] || [ ! -d "$1" ] || [ ! -f "$2" ]; then
    echo "usage: sh check-by-hand.sh BUNDLE PUBLIC_KEY.pem" >&2
    exit 2
fi
for tool in jq openssl base64 sha256sum find gzip grep sed; do
    if ! command -v "$tool" > /dev/null; then
        echo "this needs $tool" >&2
        exit 2
    fi
done
key=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
work=$(mktemp -d)
# Whatever a tool or this script says of a bundle may hold its names: only printable ASCII reaches a terminal.
exec 3>&2 2> "$work/said"
trap 'tr -cd "\012\040-\176" < "$work/said" >&3; rm -rf "$work"' EXIT

fail() {
    echo "FAIL  $1" >&2
    exit 1
}
pass() {
    echo "ok    $1"
}
digest() {
    sha256sum < "$1" | cut -d ' ' -f 1
}

# 1. Only folders and regular files, with plain names. Nothing may be followed to another place.
odd=$(find . ! -type f ! -type d | head -n 1)
[ -z "$odd" ] || fail "$odd is neither a file nor a folder"
find . ! -name . | sed 's|^\./||' > "$work/names"
find . -type f | sed 's|^\./||' | sort > "$work/there"
part='[A-Za-z0-9][A-Za-z0-9._-]{0,99}'
if grep -q -v -E "^$part(/$part){0,6}\$" "$work/names"; then
    fail "a file or folder has a name that is not plain"
fi
if grep -q -i -E '(^|/)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.[^/]*)?(/|$)' "$work/names"; then
    fail "a file or folder has the name of a device"
fi
[ "$(tr 'A-Z' 'a-z' < "$work/names" | sort -u | wc -l)" -eq "$(wc -l < "$work/names")" ] ||
    fail "two names differ in case alone"
extra=$(grep -v -e '^data/' -e '^attest/registration\.json$' -e '^attest/registration\.tlog-proof$' \
    -e '^attest/registration\.tsq$' -e '^attest/registration\.tsr$' "$work/there" | tr '\n' ' ')
[ "$extra" = "attest/run.dsse.json bag-info.txt bagit.txt manifest-sha256.txt tagmanifest-sha256.txt " ] ||
    fail "the top folder holds: $extra"
pass "names"

# 2. The payload manifest lists every file under data/, and each has its digest.
if grep -q -v '^[0-9a-f]\{64\}  data/[A-Za-z0-9._/-]*$' manifest-sha256.txt; then
    fail "manifest-sha256.txt has a line of another form"
fi
cut -c 67- manifest-sha256.txt | sort > "$work/listed"
grep '^data/' "$work/there" > "$work/payload"
cmp -s "$work/listed" "$work/payload" || fail "manifest-sha256.txt does not list exactly the files under data/"
sha256sum --check --quiet --strict manifest-sha256.txt || fail "a file under data/ has another digest"
if grep -q -v '^[0-9a-f]\{64\}  [A-Za-z0-9.-]*$' tagmanifest-sha256.txt; then
    fail "tagmanifest-sha256.txt has a line of another form"
fi
sha256sum --check --quiet --strict tagmanifest-sha256.txt || fail "a tag file has another digest"
pass "payload: $(wc -l < "$work/listed" | tr -d ' ') files"

# 3. The DSSE envelope: PAE = "DSSEv1 len(type) type len(payload) payload", signed with your key.
envelope=attest/run.dsse.json
jq -e '(.signatures | length) == 1' "$envelope" > "$work/out" || fail "$envelope must hold one signature"
type=$(jq -r .payloadType "$envelope")
[ "$type" = application/vnd.in-toto+json ] || fail "$envelope is of another type"
jq -e 'keys == ["payload", "payloadType", "signatures"] and (.signatures[0] | keys) == ["keyid", "sig"]' \
    "$envelope" > "$work/out" || fail "$envelope has other fields"
# One envelope has one spelling: keys in order, no white space, nothing after it.
jq -c -S . "$envelope" | tr -d '\n' > "$work/spelled"
cmp -s "$work/spelled" "$envelope" || fail "$envelope is spelled in another way, or has something after it"
jq -r .payload "$envelope" | base64 -d > "$work/payload.json" || fail "$envelope holds no base64"
jq -r '.signatures[0].sig' "$envelope" | base64 -d > "$work/sig" || fail "$envelope holds no base64"
for field in payload:payload.json signatures[0].sig:sig; do
    [ "$(base64 < "$work/${field#*:}" | tr -d '\n')" = "$(jq -r ".${field%%:*}" "$envelope")" ] ||
        fail "$envelope spells its base64 in another way"
done
printf 'DSSEv1 %d %s %d ' "${#type}" "$type" "$(wc -c < "$work/payload.json")" > "$work/pae"
cat "$work/payload.json" >> "$work/pae"
# Under a key of small order one signature fits many messages: the eight points, in all their spellings.
raw=$(openssl pkey -pubin -in "$key" -outform DER | tail -c 32 | base64)
case $raw in
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | \
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA= | \
    AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | \
        AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA= | \
    JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU= | \
        JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU= | \
    xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o= | \
        xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o= | \
    7P///////////////////////////////////////38= | \
        7P////////////////////////////////////////8= | \
    7f///////////////////////////////////////38= | \
        7f////////////////////////////////////////8= | \
    7v///////////////////////////////////////38= | \
        7v////////////////////////////////////////8=)
        fail "the key is a point of small order" ;;
esac
openssl pkeyutl -verify -rawin -pubin -inkey "$key" -in "$work/pae" -sigfile "$work/sig" > "$work/out" 2>&1 ||
    fail "the signature is not by the key in $2"
keyid=$(openssl pkey -pubin -in "$key" -outform DER | sha256sum | cut -d ' ' -f 1)
[ "$(jq -r '.signatures[0].keyid' "$envelope")" = "$keyid" ] || fail "$envelope names another key than the one that signed"
pass "signature"

# 4. The statement is about this payload manifest, and about this key's manifest and run.
said() {
    jq -r "$1" "$work/payload.json"
}
[ "$(said '.subject | length')" = 1 ] || fail "the statement has not one subject"
[ "$(said '.subject[0].name')" = manifest-sha256.txt ] || fail "the statement is about another file"
[ "$(said '.subject[0].digest.sha256')" = "$(digest manifest-sha256.txt)" ] ||
    fail "the statement is about another manifest-sha256.txt"
sealed=$(digest data/manifest.json)
[ "$(said .predicate.manifest_sha256)" = "$sealed" ] || fail "the statement is about another manifest.json"
[ "$(said .predicate.run)" = "$(printf %.16s "$sealed")" ] || fail "the statement is about another run"
[ "$(jq -r .submitter_key_id data/manifest.json)" = "$keyid" ] || fail "another key sealed the manifest"
pass "statement: run $(said .predicate.run), key $keyid"

# 5. The secret of the seed is the one that the manifest committed to. jq turns its hex into base64.
said '.predicate.seed.secret | explode | map(if . > 96 then . - 87 else . - 48 end)
    | [range(0; length; 2) as $i | .[$i] * 16 + .[$i + 1]]
    | ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" / "") as $letters
    | [range(0; length; 3) as $i | .[$i:$i + 3] | length as $n
        | ((.[0] * 65536) + ((.[1] // 0) * 256) + (.[2] // 0)) as $bits
        | [262144, 4096, 64, 1] | to_entries
        | map(if .key <= $n then $letters[(($bits / .value) | floor) % 64] else "=" end) | add] | add' |
    base64 -d > "$work/secret" || fail "the revealed secret is no hexadecimal"
[ "$(jq -r .secret_commit data/manifest.json)" = "$(digest "$work/secret")" ] ||
    fail "the revealed secret is not the committed one"
pass "seed"

# 6. Every stream's journal has as many lines as the index says, and ends in its head.
jq -r '.streams[] | "\(.entries) \(.head) \(.stream) \(.segments | join(" "))"' data/journal/index.json > "$work/rows" ||
    fail "data/journal/index.json is no journal index"
if grep -q -v '^[0-9][0-9]* [0-9a-f]\{64\} [a-z0-9_-]* [A-Za-z0-9 ._/-]*$' "$work/rows"; then
    fail "data/journal/index.json has a row of another form"
fi
total=0
while read -r entries head stream segments; do
    : > "$work/lines"
    for segment in $segments; do
        grep -q -x -F -e "$segment" "$work/listed" || fail "stream $stream lists $segment, which is not there"
        gzip -dc "$segment" | head -c 67108865 > "$work/segment"
        [ "$(wc -c < "$work/segment")" -le 67108864 ] || fail "$segment holds more than 64 MiB"
        cat "$work/segment" >> "$work/lines"
    done
    [ "$(wc -l < "$work/lines")" -eq "$entries" ] || fail "stream $stream has not $entries entries"
    if [ "$entries" -gt 0 ]; then
        last=$(tail -n 1 "$work/lines" | tr -d '\n' | sha256sum | cut -d ' ' -f 1)
        [ "$last" = "$head" ] || fail "stream $stream ends in another head"
    fi
    total=$((total + entries))
done < "$work/rows"
[ "$(said .predicate.journal.entries)" = "$total" ] || fail "the statement counts another number of entries"
pass "journal: $total entries"

echo "not checked here: the replay of the games, the engine's scores, the figures, prev and root of the journal's lines," \
    "which files may stand below data/, bag-info.txt (agzamov-verify check does)"
