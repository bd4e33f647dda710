import { freePort, readMetric } from './support/call.ts'
import type { Child } from './support/children.ts'
import { installPackage } from './support/installed.ts'
import type { Question } from './support/question.ts'
import type { Fleet } from './support/seed.ts'
import { summarize } from './support/statistics.ts'
import { firstAnswer, learnFloor, startFloorProcess, startPortalProcess } from './support/system.ts'

const ALONE = { answers: 'never' } as const // without the probe: the start of an operator is timed

type Measure = Record<'seconds' | 'floorSeconds' | 'checkoutSeconds' | 'megabytes', number>

/** How soon the portal of an operator, which is the package, is back, and how much memory it needs. */
export const start: Question = {
  id: 'P6',
  asks: 'from the command to the first answer on an existing database, and the memory after it',
  async answer({ fleet, effort, progress }) {
    const learned = await learnFloor(fleet)
    const installed = installPackage()
    const startPackage = () =>
      timeStart('portal', fleet, (port) => startPortalProcess(fleet, { port, program: installed, ...ALONE }))
    const startCheckout = () => timeStart('checkout', fleet, (port) => startPortalProcess(fleet, { port, ...ALONE }))
    const startFloor = () => timeStart('floor', fleet, (port) => startFloorProcess(fleet, learned, { port, ...ALONE }))
    const measures: Measure[] = []
    for (const each of [startPackage, startCheckout]) await (await each()).child.stop() // leaves compiled code
    for (let i = 1; i <= effort.starts; i++) {
      progress.say(`P6 · start ${i} of ${effort.starts}`)
      const portal = await startPackage()
      const megabytes = (await readMetric(portal.port, 'process_resident_memory_bytes')) / 1e6
      await portal.child.stop()
      const floor = await startFloor()
      await floor.child.stop()
      const checkout = await startCheckout()
      await checkout.child.stop()
      const [seconds, floorSeconds, checkoutSeconds] = [portal.seconds, floor.seconds, checkout.seconds]
      measures.push({ seconds, floorSeconds, checkoutSeconds, megabytes })
    }
    const all = (what: keyof Measure) => summarize(measures.map((measure) => measure[what]))
    const ratios = summarize(measures.map(({ seconds, floorSeconds }) => seconds / floorSeconds))
    return {
      findings: [
        {
          what: 'start of the package to first answer, against the floor',
          value: ratios,
          unit: '×',
          budget: { atMost: 3 },
        },
        { what: 'the same in seconds', value: all('seconds'), unit: 's', budget: { atMost: 1 } },
        { what: 'the floor, to compare', value: all('floorSeconds'), unit: 's' },
        { what: 'a checkout, to compare', value: all('checkoutSeconds'), unit: 's' },
        { what: 'memory after it', value: all('megabytes'), unit: 'MB', budget: { atMost: 120 } },
      ],
      systems: [],
    }
  },
}

async function timeStart(name: string, fleet: Fleet, startOn: (port: number) => Child) {
  const port = await freePort()
  const before = performance.now()
  const child = startOn(port)
  const { status, body } = await firstAnswer(name, port, fleet, child)
  const seconds = (performance.now() - before) / 1000
  if (status !== 200 || body.includes('"errors"')) throw new Error(`The first answer is wrong: ${status} ${body}`)
  return { port, child, seconds }
}
