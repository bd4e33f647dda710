import { calmer, type Question } from './support/question.ts'
import { alternate, ratioOf, rowOf } from './support/rounds.ts'
import { stageOf } from './support/stage.ts'
import { startPortal } from './support/system.ts'

/** Whether many callers at once make each call dearer. */
export const connections: Question = {
  id: 'connections',
  asks: 'the call of P1 on 1, 16 and 256 connections',
  unhurried: true,
  async answer(bench) {
    const { fleet } = bench
    const system = await startPortal('portal', fleet)
    const on = (connections: number) => stageOf(`${connections} connections`, system, fleet, { connections })
    const stages = [await on(1), await on(16), await on(256)] as const
    const [ofOne, ofSome, ofMany] = await alternate(calmer(bench), 'connections', stages)
    await system.stop()
    return {
      findings: [
        { what: 'CPU a request, 256 connections against 16', value: ratioOf(ofMany, ofSome, 'cpuMicros'), unit: '×' },
        {
          what: 'requests a second, 256 connections against 16',
          value: ratioOf(ofMany, ofSome, 'requestsPerSecond'),
          unit: '×',
        },
      ],
      systems: [rowOf('1 connection', ofOne), rowOf('16 connections', ofSome), rowOf('256 connections', ofMany)],
    }
  },
}
