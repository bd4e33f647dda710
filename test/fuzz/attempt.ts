import { setTimeout as pause } from 'node:timers/promises'
import { type Bystander, longestOf, type Span } from './bystander.ts'
import type { Call, CallAnswer } from './call.ts'
import type { Caller } from './callers.ts'
import type { Observed } from './judge.ts'
import type { Portal } from './portal.ts'
import { withIdOf } from './stored-bytes.ts'
import { watchBystander, watchIdle } from './watch-bystander.ts'
import type { Manner, UsedUp } from './worst.ts'

/** After which nobody waits any longer: for one call, for several that were sent at once, and for those of a scene. */
const GIVE_UP_MS = { alone: 3000, together: 5000, scene: 15_000 }
/** From then on a call of the bystander that is still under way says that the process does nothing else any more. */
const HUNG_MS = 1000
/** How soon the bystander is answered when nothing is going on, also on a busy machine. */
const CALM_MS = 200
const CALM_LOOKS = 30
/** The share of the sending time in which all have their first turns: an earlier writer waits for each of them. */
const FIRST_TURNS = 1 / 3
/** Whoever has reached a limit comes back a little later. */
const LIMITED_MS = 100

export interface Stage {
  portal: Portal
  bystander: Bystander
  /** How many bytes the database has. */
  storedBytes(): Promise<number>
  /** An organization has used up what it may store of a kind, until what this returns is called. */
  exhaust(budget: UsedUp): Promise<() => Promise<void>>
  /** Ends what a step has begun that goes on by itself. */
  settle(): Promise<void>
  /** Every latency of the bystander, for the numbers at the end. */
  latencies: number[]
  /** Like `latencies`, without what a busy machine took. */
  corrected: number[]
  /** The latencies of its writes, and of those in between for which nobody else did anything. */
  writes: number[]
  idleWrites: number[]
  refused: string[]
  /** Bytes that a point has left in the database, by what stored them. */
  bytesOfPoint: Map<string, number>
  /** How often each answer was given. */
  codes: Map<string, number>
  giveUpMs?: typeof GIVE_UP_MS
  /** How long the bystander is watched alone before something is tried again. */
  idleMs?: number
}

/** A call, and who makes it. */
export interface Sent {
  caller: Caller
  call: Call
}

/** Sends some calls and sees what happens, to the bystander too; a portal that hangs is killed and started again. */
export async function attempt(stage: Stage, sent: readonly Sent[], manner: Manner = {}): Promise<Observed> {
  const { portal } = stage
  const { inTurn = false, watchMs = 0, steadyMs = 0, mostShare, mostOfCallMs, usedUp } = manner
  const giveBack = await (usedUp && stage.exhaust(usedUp))
  const computedMs = portal.computedMs()
  const bytes = inTurn ? await stage.storedBytes() : 0
  const writing = sendSteadily(stage, sent, steadyMs)
  if (steadyMs > 0) {
    await pause(steadyMs * FIRST_TURNS)
    await stage.bystander.poll()
  }
  const watched = steadyMs > 0 ? { ...stage, writes: [] } : stage // how long those wait depends on the machine
  const { result: answers, ...seen } = await watchBystander(watched, async () => {
    if (steadyMs > 0) return (await writing).last
    const answers = await (inTurn ? sendInTurn(stage, sent) : sendAtOnce(stage, sent, manner))
    if (watchMs > 0) await pause(watchMs)
    return answers
  })
  const { answeredAt } = await writing
  await giveBack?.()
  for (const answer of answers) count(stage.codes, codeOf(answer))
  const { tookMs, portalNoCoreMs, writeSpans, ...held } = seen
  const hasExpired = portal.hasExpired()
  const observed: Observed = {
    ...{ sent, answers, hasExpired, ...held },
    ...(steadyMs > 0 && { heldWritesMs: 0, turnsWaited: turnsWaited(writeSpans, answeredAt) }),
    logged: portal.logged(),
    ...(usedUp && { usedUp: usedUp.kind }),
    ...(inTurn && !usedUp && { stored: { bytes: (await stage.storedBytes()) - bytes, points: pointsTaken(answers) } }),
    computed: { ms: portal.computedMs() - computedMs, ofMs: tookMs - portalNoCoreMs, mostShare, mostOfCallMs },
  }
  if (inTurn || watchMs > 0 || steadyMs > 0) {
    await stage.settle()
    if (await isCalm(stage)) await watchIdle(stage)
  }
  if (hasExpired || answers.some(({ status }) => status === undefined)) await recover(stage)
  return observed
}

/** Each call again and again; tells the last answer of each, and when there was one that no limit refused. */
async function sendSteadily({ portal, giveUpMs = GIVE_UP_MS }: Stage, sent: readonly Sent[], ms: number) {
  const end = performance.now() + ms
  const answeredAt: number[] = []
  const sendOn = async ({ caller, call }: Sent): Promise<CallAnswer> => {
    const answer = await portal.sender().send(caller, call, giveUpMs.scene)
    if (answer.status === 200) answeredAt.push(Date.now())
    else await pause(LIMITED_MS)
    return performance.now() < end ? sendOn({ caller, call }) : answer
  }
  return { last: ms > 0 ? await Promise.all(sent.map(sendOn)) : [], answeredAt }
}

/** How many others were served on average while a call was under way: the same on any machine, however busy. */
export const turnsWaited = (spans: readonly Span[], answeredAt: readonly number[]): number =>
  spans.reduce((sum, { from, to }) => sum + answeredAt.filter((at) => at > from && at < to).length, 0) /
  Math.max(1, spans.length)

function sendAtOnce({ portal, giveUpMs = GIVE_UP_MS }: Stage, sent: readonly Sent[], { watchMs = 0 }: Manner) {
  const ofSeveral = watchMs > 0 ? giveUpMs.scene : giveUpMs.together
  const timeoutMs = sent.length > 1 ? ofSeveral : giveUpMs.alone
  const sender = portal.sender()
  return Promise.all(sent.map(({ caller, call }) => sender.send(caller, call, timeoutMs)))
}

async function sendInTurn({ portal, giveUpMs = GIVE_UP_MS }: Stage, sent: readonly Sent[]): Promise<CallAnswer[]> {
  const answers: CallAnswer[] = []
  for (const { caller, call } of sent)
    answers.push(await portal.sender().send(caller, withIdOf(answers.at(-1), call), giveUpMs.alone))
  return answers
}

/** As the answers tell; where there are more left than before, a new period has begun: then a call counts as the others do on average. */
function pointsTaken(answers: readonly CallAnswer[]): number {
  const left = answers.flatMap(({ pointsLeft }) => pointsLeft ?? [])
  const taken = left.slice(1).map((points, i) => (left[i] ?? 0) - points)
  const known = taken.filter((points) => points > 0)
  const onAverage = known.reduce((sum, points) => sum + points, 0) / Math.max(1, known.length)
  return Math.round(answers.filter(({ status }) => status === 200).length * Math.max(1, onAverage))
}

/** What is still being worked on is none of the next step's; a portal that does not come back is started anew. */
async function recover(stage: Stage): Promise<void> {
  const { portal, bystander } = stage
  const { waitingMs } = await bystander.poll()
  if (!portal.hasExpired() && waitingMs < HUNG_MS && (await isCalm(stage))) return
  await portal.restart()
  await beginBystander(stage)
}

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
    const seen = await bystander.poll()
    const isNow = [seen, seen.writes].every((waited) => longestOf(waited) < CALM_MS)
    calm = isNow && seen.latenciesMs.length > 0 ? calm + 1 : 0
  }
  return calm === 3
}

/** The first code of an answer, or its status where it has none. */
export function codeOf({ status, body }: CallAnswer): string {
  if (status === undefined) return 'no answer'
  return /"code":"([A-Z_]+)"/.exec(body)?.[1] ?? String(status)
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
