import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDebianRoot } from './debian-root.ts'
import { type Engine, hasImage, tryTo } from './engine.ts'
import { importRoot } from './import-root.ts'

interface StandIn {
  packages: string[]
  /** Instructions of a Containerfile. */
  changes: string[]
  prepare?: (root: string) => unknown
}

/** In place of the images of compose.yaml where no registry can be reached: Debian's packages, called the same way. */
const STAND_INS: Record<string, StandIn> = {
  proxy: {
    packages: ['haproxy', 'wget', 'dash', 'coreutils'],
    changes: [
      'USER 99:99',
      'ENV PATH=/usr/sbin:/usr/bin',
      'CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]',
    ],
    prepare: (root) => mkdirSync(join(root, 'usr/local/etc/haproxy'), { recursive: true }),
  },
  valkey: {
    packages: ['redis-server', 'dash', 'coreutils'],
    changes: ['USER 999:999', 'WORKDIR /data'],
    prepare: (root) => {
      for (const name of ['server', 'cli']) symlinkSync(`redis-${name}`, join(root, `usr/bin/valkey-${name}`))
    },
  },
  database: {
    packages: ['postgresql-15', 'dash', 'coreutils'],
    changes: ['USER 999:999', 'ENV PATH=/usr/lib/postgresql/15/bin:/usr/bin', 'ENTRYPOINT ["/entrypoint.sh"]'],
    prepare: (root) => {
      writeFileSync(join(root, 'entrypoint.sh'), POSTGRES_ENTRYPOINT)
      chmodSync(join(root, 'entrypoint.sh'), 0o755)
      mkdirSync(join(root, 'var/lib/postgresql'), { recursive: true })
      chmodSync(join(root, 'var/lib/postgresql'), 0o777)
    },
  },
}

/** As much of the official image's as compose.yaml asks for. */
const POSTGRES_ENTRYPOINT = `#!/bin/sh
set -e
data=/var/lib/postgresql/15/docker
if [ ! -e "$data/ready" ]; then
  printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8 --locale=C
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
  echo "create database $POSTGRES_DB" | postgres --single -D "$data" postgres
  touch "$data/ready"
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=
`

/** The name of an image for this service of compose.yaml: its own, or a stand-in. */
export async function provideImage(engine: Engine, service: string, official: string, say: (words: string) => void) {
  const made = `localhost/portal-test-${service}:${process.arch}`
  for (const image of [official, made]) if (await hasImage(engine, image)) return image
  if ((await tryTo(engine, ['pull', '-q', official], { timeoutMs: 300_000 })).code === 0) return official
  const standIn = STAND_INS[service]
  if (!standIn) throw new Error(`There is no image ${official}, and nothing to make one from.`)
  say(`no registry gives ${official}: making a stand-in from Debian packages`)
  const folder = mkdtempSync(join(tmpdir(), 'portal-stand-in-'))
  try {
    const root = await makeDebianRoot(folder, standIn.packages)
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nservice:x:999:999::/:/bin/sh\n')
    standIn.prepare?.(root)
    await importRoot(engine, root, made, standIn.changes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return made
}
