#!/usr/bin/env bash
# Runs a command beside a throwaway Postgres and stops it afterwards:
#   scripts/with-postgres.sh npm test
# The command finds the server in HOLDPOINT_TEST_POSTGRES (postgres://...). When that is set already, nothing is started.
# The server listens on a free loopback port, keeps everything in a folder of its own and loses it at the end.
set -euo pipefail

if [ $# -eq 0 ]; then
  sed -n '2,5s/^# //p' "$0"
  exit 2
fi
if [ -n "${HOLDPOINT_TEST_POSTGRES:-}" ]; then exec "$@"; fi

fail() {
  echo "with-postgres: $1" >&2
  exit 1
}

# Debian keeps the server programs of each version in a folder that is not on PATH.
find_programs() {
  local found
  found=$(command -v initdb || find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)
  [ -n "$found" ] || fail 'no initdb found: install the Postgres server (Debian: apt-get install postgresql)'
  dirname "$(realpath "$found")"
}

# Postgres refuses to run as root.
if [ "$(id -u)" = 0 ]; then
  id postgres >/dev/null 2>&1 || fail 'started as root, and there is no user postgres to run the server as'
  as_server_user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
else
  as_server_user=(env)
fi

free_port() {
  node -e "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })"
}

programs=$(find_programs)

folder=$(mktemp -d /tmp/holdpoint-postgres.XXXXXX)
server=''
stop_server() {
  # Fast shutdown: open connections are cut.
  if [ -n "$server" ]; then kill -INT "$server" 2>/dev/null && wait "$server" || true; fi
  rm -rf "$folder"
}
trap stop_server EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

password=$(node -p "require('node:crypto').randomBytes(16).toString('hex')")
printf '%s\n' "$password" >"$folder/password"
mkdir -m 700 "$folder/data"
if [ "$(id -u)" = 0 ]; then
  chown -R postgres "$folder"
fi
# The server's user may not be allowed into the current directory.
(cd / && "${as_server_user[@]}" "$programs/initdb" -D "$folder/data" -U postgres -A scram-sha-256 --pwfile="$folder/password" \
  --encoding=UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1) || { cat "$folder/initdb.log" >&2; fail 'initdb failed'; }

# Another program may take the free port first, so this tries a few.
for _ in 1 2 3 4 5; do
  port=$(free_port)
  # No fsync: the data never outlives the machine. It stays in this process group, so that a kill of the group ends it.
  (cd / && exec "${as_server_user[@]}" "$programs/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 \
    -c "unix_socket_directories=$folder" -c fsync=off -c max_connections=200) \
    </dev/null >"$folder/server.log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    if "$programs/pg_isready" -q -h 127.0.0.1 -p "$port"; then
      ready=yes
      break 2
    fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  kill -INT "$server" 2>/dev/null || true
  wait "$server" || true
  server=''
done
[ -n "${ready:-}" ] || { cat "$folder/server.log" >&2; fail 'the server did not start'; }

export HOLDPOINT_TEST_POSTGRES="postgres://postgres:$password@127.0.0.1:$port/postgres"
code=0
"$@" || code=$?
exit "$code"
