import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ask, startChild, temporaryFolder } from './children.ts'
import { install } from './install.ts'

const TOOL = join(import.meta.dirname, '..', 'tools', 'lighthouse')
const REPORTS = join(import.meta.dirname, '..', 'results')
const AUDIT_MS = 120_000

/** One load of a page, as Lighthouse sees it. */
export interface Load {
  /** From 0 to 100. */
  score: number
  layoutShift: number
  scripts: number
  firstPaintMs: number
  largestPaintMs: number
  blockedMs: number
}

export interface Audited {
  name: string
  url: string
  /** The cookie of somebody who has signed in. */
  cookie?: string
}

export interface Lighthouse {
  /** Loads a page once; the report of the last time is in bench/results/. */
  audit(page: Audited): Promise<Load>
  stop(): Promise<void>
}

/** Installs it if needed, and starts it with the browser that listens on this port. */
export async function startLighthouse(port: number): Promise<Lighthouse> {
  await install(TOOL)
  mkdirSync(REPORTS, { recursive: true })
  const child = startChild(temporaryFolder(), {
    name: 'lighthouse',
    args: [join(TOOL, 'audit.js')],
    answers: 'by itself',
  })
  return {
    audit({ name, ...page }) {
      const report = join(REPORTS, `lighthouse-${name.replaceAll(' ', '-').toLowerCase()}.html`)
      return ask<Load>(child, { ...page, port, report }, AUDIT_MS)
    },
    stop: child.stop,
  }
}
