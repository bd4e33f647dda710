import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const ENTRY = join(import.meta.dirname, '..', '..', 'bin', 'portal.js')
const POLL_EVERY_MS = 50

export interface Ran {
  code: number | null
  rows: number
  seconds: number
  /** The most memory that the process had, where the system says so. */
  peakBytes: number
}

/** Runs a command of `portal` as a process of its own, from its start to its end. */
export async function runMeasured(args: string[], env: Record<string, string>): Promise<Ran> {
  const began = performance.now()
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let peakBytes = 0
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakOf(child.pid))
  }, POLL_EVERY_MS)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  clearInterval(sampling)
  if (code !== 0) throw new Error(`portal ${args.join(' ')} has failed: ${stderr}`)
  return { code, rows: JSON.parse(stdout).rows, seconds: (performance.now() - began) / 1000, peakBytes }
}

function peakOf(pid: number | undefined): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) * 1024
  } catch {
    return 0 // it is gone, or this is no Linux
  }
}
