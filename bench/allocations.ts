import { Agent } from 'node:http'
import { join } from 'node:path'
import { mintSecret } from '../server/secrets/secret.ts'
import { call } from './support/call.ts'
import { type Checkout, checkOutEarlier, THIS_CHECKOUT } from './support/checkout.ts'
import { type Answer, absentBy, type Bench, type Finding, type Question } from './support/question.ts'
import { summarize } from './support/statistics.ts'
import { type System, startPortal } from './support/system.ts'

const WARM_CALLS = 500
const MEASURED_CALLS = 500 // with twice as many, some bytes would be collected
const TRIES = 5

/**
 * The young generation is so large that nothing is collected during the measurement, and no compiler optimizes, since
 * that would avoid some allocations sooner in one run than in another. What is left is what the code allocates.
 */
const FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--no-opt', '--no-maglev', '--expose-gc']

/** CPU and V8, on which the bytes depend too, are the same for both: so half a percent is visible. */
export const allocations: Question = {
  id: 'allocations',
  asks: 'bytes allocated for a call, this commit against the one before, on the same database',
  isLong: true,
  async answer(bench) {
    const earlier = checkOutEarlier()
    try {
      return await compare(bench, earlier)
    } catch (error) {
      return { findings: [], systems: [], absent: [absentBy(`the commit before, ${earlier.name}`, error)] }
    }
  },
}

async function compare({ fleet, effort, progress }: Bench, earlier: Checkout): Promise<Answer> {
  const secrets = { accepted: fleet.secret, malformed: 'emp_not-a-key', unknown: mintSecret('emp_') }
  const ratios: Record<string, number[]> = {}
  for (let round = 1; round <= effort.instances; round++) {
    progress.say(`allocations · round ${round} of ${effort.instances}`)
    const before = await measureAll(await start(earlier), secrets)
    const now = await measureAll(await start(THIS_CHECKOUT), secrets)
    for (const [name, bytes] of Object.entries(now)) {
      ratios[name] = [...(ratios[name] ?? []), bytes / (before[name] ?? Number.NaN)]
    }
  }
  const findings = Object.entries(ratios).map(
    ([name, values]): Finding => ({
      what: `bytes allocated for a call with a key that is ${name}, against ${earlier.name}`,
      value: summarize(values),
      unit: '×',
      budget: { atMost: 1.02 },
    }),
  )
  return { findings, systems: [] }

  function start({ name, folder }: Checkout): Promise<System> {
    return startPortal(name, fleet, FLAGS, join(folder, 'cli', 'main.ts')) // without the script that installs and builds
  }
}

async function measureAll(system: System, secrets: Record<string, string>): Promise<Record<string, number>> {
  const each: Record<string, number> = {}
  for (const [name, secret] of Object.entries(secrets)) each[name] = await allocatedEach(system, secret)
  await system.stop()
  return each
}

/** Heap bytes for one call, once the portal is warm. */
async function allocatedEach({ port, heap }: System, secret: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const calls = async (times: number) => {
    for (let i = 0; i < times; i++) await call(port, secret, undefined, agent)
  }
  await calls(WARM_CALLS)
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await heap('collected heap')
    await calls(MEASURED_CALLS)
    const after = await heap('heap')
    if (after.collections > before.collections) continue
    agent.destroy()
    return (after.bytes - before.bytes) / MEASURED_CALLS
  }
  throw new Error('Garbage is collected all the time: nothing can be measured.')
}
