import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/process/free-port.ts'
import { ROOT } from '../support/sources.ts'

export interface Balancer {
  port: number
  close(): Promise<void>
}

const PROGRAM = 'haproxy'
const BETWEEN_LOOKS_MS = 100

/** Whether HAProxy can be used here; otherwise why not. */
export function haproxyProblem(): string | undefined {
  const { status } = spawnSync(PROGRAM, ['-v'], { stdio: 'ignore' })
  return status === 0 ? undefined : 'HAProxy is not installed: apt-get install -y haproxy, then run this again.'
}

/** HAProxy with the configuration of compose.yaml, without TLS and with these replicas. */
export async function startHaproxy(folder: string, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configFor(readFileSync(join(ROOT, 'docs', 'compose', 'haproxy.cfg'), 'utf8'), port, ports))
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: 'ignore' })
  process.on('exit', () => child.kill('SIGKILL'))
  while (!(await isReady(child, port))) await pause(BETWEEN_LOOKS_MS)
  return {
    port,
    async close() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

function configFor(text: string, port: number, ports: readonly number[]): string {
  const [, options = ''] = /server-template \S+ \d+ \S+ (check .*?) resolvers/.exec(text) ?? []
  const servers = ports.map((each, i) => `  server replica${i + 1} 127.0.0.1:${each} ${options}`)
  return text
    .replace(/^ {2}bind :8080$/m, `  bind 127.0.0.1:${port}`)
    .replace(/^ {2}(bind :8443|http-request redirect).*\n/gm, '')
    .replace(/^ {2}server-template .*$/m, servers.join('\n'))
    .replace(/^# For the health check of the container[\s\S]*/m, '')
    .replace('log stdout format raw daemon notice', 'log stderr format raw daemon err')
}

async function isReady({ exitCode }: ChildProcess, port: number): Promise<boolean> {
  if (exitCode !== null) throw new Error('HAProxy does not start.')
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
  return response?.status === 200
}
