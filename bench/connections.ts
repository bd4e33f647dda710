import { calmer, type Question } from './support/question.ts'
import { alternate, ratioOf, rowOf } from './support/rounds.ts'
import { stageOf } from './support/stage.ts'
import { startPortal } from './support/system.ts'

const MAX_BLOCK_MS = 250 // with 256 connections an answer takes longer than the default limit

/** Whether many concurrent callers make each call more expensive. */
export const connections: Question = {
  id: 'connections',
  asks: 'the call of P1 on 1, 4, 16, 64 and 256 connections',
  isLong: true,
  async answer(bench) {
    const { fleet } = bench
    const system = await startPortal('portal', fleet)
    const on = (connections: number) =>
      stageOf(connections === 1 ? '1 connection' : `${connections} connections`, system, fleet, { connections })
    const stages = [await on(1), await on(4), await on(16), await on(64), await on(256)] as const
    const effort = { ...calmer(bench).effort, turnMs: MAX_BLOCK_MS }
    const measures = await alternate({ ...bench, effort }, 'connections', stages)
    await system.stop()
    const [, , ofSome, , ofMany] = measures
    return {
      findings: [
        { what: 'CPU a request, 256 connections against 16', value: ratioOf(ofMany, ofSome, 'cpuMicros'), unit: '×' },
        {
          what: 'requests a second, 256 connections against 16',
          value: ratioOf(ofMany, ofSome, 'requestsPerSecond'),
          unit: '×',
        },
      ],
      systems: stages.map(({ name }, i) => rowOf(name, measures[i] ?? [])),
    }
  },
}
