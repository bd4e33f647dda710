#!/bin/sh
# Rotates the API key in a file, unattended. Needs only curl.
#
#   PORTAL_URL=https://portal.example.com KEY_FILE=/etc/ci/portal-key sh rotate-key.sh
#
# The old key keeps working for OVERLAP_SECONDS (default: 12 hours), so programs that have already read it are not cut off. Let
# more time than that pass between two runs: at most two keys work at the same time, so a run that is too early changes nothing.
# Whatever fails, KEY_FILE contains a key that works, and the next run continues where this one stopped.
set -eu
umask 077

: "${PORTAL_URL:?the address of the portal, such as https://portal.example.com}"
: "${KEY_FILE:?the file that contains the key, and nothing else}"
overlap=${OVERLAP_SECONDS:-43200}
new_file=$KEY_FILE.new
lock=$KEY_FILE.lock

fail() {
  echo "rotate-key: $1 $KEY_FILE was left as it is." >&2
  exit 1
}

# curl reads the secret from standard input: everyone on the machine can see arguments.
ask() { # secret, GraphQL document
  printf 'header = "api-secret: %s"\n' "$1" |
    curl --silent --show-error --max-time 30 --config - \
      --header 'content-type: application/json' --data "{\"query\":\"$2\"}" "$PORTAL_URL/graphql"
}

# Whether the portal accepts a key: works, refused, or unclear if it does not answer as expected.
verdict() { # secret
  case $(ask "$1" '{ viewer { role } }') in
  *'"role":"ADMIN"'*) echo works ;;
  *'"code":"API_KEY_'*) echo refused ;;
  *) echo unclear ;;
  esac
}

# The value of a string field in JSON.
field() { # name, JSON
  printf '%s' "$2" | sed -n "s/.*\"$1\":\"\([0-9A-Za-z_]*\)\".*/\1/p"
}

take_lock() {
  (set -C && echo $$ >"$lock") 2>/dev/null
}

if ! take_lock; then
  [ -e "$lock" ] || fail 'The folder of the key cannot be written to.'
  owner=$(cat "$lock")
  if [ "$owner" != $$ ] && kill -0 "$owner" 2>/dev/null; then fail 'Another run is at work.'; fi
  rm -f "$lock" # its run was killed
  take_lock || fail 'Another run is at work.'
fi
trap 'rm -f "$lock"' EXIT
trap 'exit 1' HUP INT TERM

[ -r "$KEY_FILE" ] || fail 'The key cannot be read.'
old=$(cat "$KEY_FILE")

# An earlier run stored the new key, but could not test it.
if [ -s "$new_file" ]; then
  case $(verdict "$(cat "$new_file")") in
  works)
    mv -f "$new_file" "$KEY_FILE"
    echo 'rotate-key: took over the new key that an earlier run had stored.'
    exit 0
    ;;
  unclear) fail 'The portal does not answer.' ;;
  esac
fi

# Reserve disk space for the new key before it exists.
printf '%060d\n' 0 >"$new_file" || fail 'There is no room for the new key.'

me=$(ask "$old" '{ viewer { apiKey { myId: id replaces { expired } replacedBy { newId: id lastUsedAt } } } }') ||
  fail 'The portal does not answer.'
id=$(field myId "$me")
[ -n "$id" ] || fail "The portal says: $me."
lost=$(field newId "$me")
if [ -n "$lost" ]; then
  # It is already replaced. If the new key was never used, its secret was lost.
  case $me in
  *'"lastUsedAt":null'*) id=$lost overlap=0 ;;
  *) fail 'The key has been replaced already, and the new one is in use elsewhere.' ;;
  esac
else
  case $me in
  *'"expired":false'*)
    rm -f "$new_file"
    echo 'rotate-key: too early, the key before this one is still accepted. Nothing was changed.'
    exit 0
    ;;
  esac
fi

answer=$(ask "$old" "mutation { rotateApiKey(id: \\\"$id\\\", overlapSeconds: $overlap) { secret } }") ||
  fail 'The portal did not answer, and may have made the new key: run this again.'
new=$(field secret "$answer")
[ -n "$new" ] || fail "The portal says: $answer."

printf '%s\n' "$new" >"$new_file" || fail 'The new key could not be stored: run this again.'
[ "$(verdict "$new")" = works ] || fail "The new key is in $new_file and could not be tried: run this again."
mv -f "$new_file" "$KEY_FILE"
echo 'rotate-key: done.'
