import { freePort, readMetric } from './support/call.ts'
import type { Child } from './support/children.ts'
import type { Question } from './support/question.ts'
import type { Fleet } from './support/seed.ts'
import { summarize } from './support/statistics.ts'
import { firstAnswer, learnFloor, startFloorProcess, startPortalProcess } from './support/system.ts'

const ALONE = { answers: 'never' } as const // without the probe: the start of an operator is timed

/** How soon the portal of an operator is back, and how much memory it needs. */
export const start: Question = {
  id: 'P6',
  asks: 'from the command to the first answer on an existing database, and the memory after it',
  async answer({ fleet, effort, progress }) {
    const learned = await learnFloor(fleet)
    const startPortal = () => timeStart('portal', fleet, (port) => startPortalProcess(fleet, { port, ...ALONE }))
    const startFloor = () => timeStart('floor', fleet, (port) => startFloorProcess(fleet, learned, { port, ...ALONE }))
    const measures: Record<'seconds' | 'floorSeconds' | 'megabytes', number>[] = []
    await (await startPortal()).child.stop() // leaves compiled code for the timed starts
    for (let i = 1; i <= effort.starts; i++) {
      progress.say(`P6 · start ${i} of ${effort.starts}`)
      const portal = await startPortal()
      const megabytes = (await readMetric(portal.port, 'process_resident_memory_bytes')) / 1e6
      await portal.child.stop()
      const floor = await startFloor()
      await floor.child.stop()
      measures.push({ seconds: portal.seconds, floorSeconds: floor.seconds, megabytes })
    }
    const all = (what: 'seconds' | 'floorSeconds' | 'megabytes') => summarize(measures.map((measure) => measure[what]))
    return {
      findings: [
        { what: 'start to first answer', value: all('seconds'), unit: 's', budget: { atMost: 1 } },
        { what: 'the same for the floor, to compare', value: all('floorSeconds'), unit: 's' },
        { what: 'memory after it', value: all('megabytes'), unit: 'MB', budget: { atMost: 150 } },
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
