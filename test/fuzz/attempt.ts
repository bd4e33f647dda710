import { setTimeout as pause } from 'node:timers/promises'
import { type Bystander, longestOf } from './bystander.ts'
import type { CallAnswer, GraphqlCall } from './call.ts'
import type { Caller } from './callers.ts'
import type { Observed } from './judge.ts'
import type { Portal } from './portal.ts'

/** After which nobody waits any longer: for one call, and for several that were sent at once. */
const GIVE_UP_MS = { alone: 3000, together: 5000 }
/** From then on a call of the bystander that is still under way says that the process does nothing else any more. */
const HUNG_MS = 1000
/** How soon the bystander is answered when nothing is going on, also on a busy machine. */
const CALM_MS = 200
const CALM_LOOKS = 30

export interface Stage {
  portal: Portal
  bystander: Bystander
  /** Every latency of the bystander, for the numbers at the end. */
  latencies: number[]
  /** The same without what a busy machine took. */
  corrected: number[]
  refused: string[]
  /** How often each answer was given. */
  codes: Map<string, number>
  giveUpMs?: typeof GIVE_UP_MS
}

/** A call, and who makes it. */
export interface Sent {
  caller: Caller
  call: GraphqlCall
}

/** Sends some calls at once and sees what happens, to the bystander too; a portal that hangs is killed and started again. */
export async function attempt(stage: Stage, sent: readonly Sent[]): Promise<Observed> {
  const { portal, giveUpMs = GIVE_UP_MS } = stage
  const before = coreWait(stage)
  const timeoutMs = sent.length === 1 ? giveUpMs.alone : giveUpMs.together
  const sender = portal.sender()
  const answers = await Promise.all(sent.map(({ caller, call }) => sender.send(caller, call, timeoutMs)))
  for (const answer of answers) count(stage.codes, codeOf(answer))
  const noCoreMs = coreWait(stage) - before
  const heldMs = await lookAside(stage, noCoreMs)
  const hasExpired = portal.hasExpired()
  const observed = { sent, answers, heldMs, noCoreMs, logged: portal.logged(), hasExpired }
  if (hasExpired || answers.some(({ status }) => status === undefined)) await recover(stage)
  return observed
}

/** What is still being worked on is none of the next step's; a portal that does not come back is started anew. */
async function recover(stage: Stage): Promise<void> {
  const { portal, bystander } = stage
  const { waitingMs } = await bystander.look()
  if (!portal.hasExpired() && waitingMs < HUNG_MS && (await isCalm(stage))) return
  await portal.restart()
  await beginBystander(stage)
}

/** How long the bystander waited at most, without what the machine took from it and from the portal. */
async function lookAside({ bystander, latencies, corrected, refused }: Stage, noCoreMs: number): Promise<number> {
  const seen = await bystander.look()
  for (const latency of seen.latenciesMs) {
    latencies.push(latency)
    corrected.push(Math.max(0, latency - noCoreMs))
  }
  refused.push(...seen.refused)
  return Math.max(0, longestOf(seen) - noCoreMs)
}

const coreWait = ({ portal, bystander }: Pick<Stage, 'portal' | 'bystander'>) =>
  portal.coreWaitMs() + bystander.coreWaitMs()

/** Until the bystander has its first answers: a process that has just started is slow. */
export async function beginBystander(stage: Stage): Promise<void> {
  const { portal, bystander } = stage
  bystander.turnTo(portal.port())
  if (!(await isCalm(stage))) throw new Error(`The portal does not answer: ${portal.logged().join('\n')}`)
}

/** Whether the bystander is answered soon, three times in a row. */
async function isCalm({ portal, bystander }: Stage): Promise<boolean> {
  let calm = 0
  for (let looks = 0; looks < CALM_LOOKS && calm < 3 && !portal.hasExpired(); looks++) {
    await pause(100)
    const seen = await bystander.look()
    calm = seen.latenciesMs.length > 0 && longestOf(seen) < CALM_MS ? calm + 1 : 0
  }
  return calm === 3
}

/** The first code of an answer, or its status where it has none. */
export function codeOf({ status, body }: CallAnswer): string {
  if (status === undefined) return 'no answer'
  return /"code":"([A-Z_]+)"/.exec(body)?.[1] ?? String(status)
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
