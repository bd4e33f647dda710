import type { Question } from './support/question.ts'
import { alternate, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { startStage } from './support/stage.ts'

/** Whether a call takes longer when there are many keys. Those that call lie scattered among all the others. */
export const growth: Question = {
  id: 'P3',
  asks: 'the same call by 100 keys in turn, among a million keys against among a thousand',
  async answer(bench) {
    const many = await seedFleet({ keys: bench.effort.manyKeys }, bench.progress)
    const stages = [await stageOf(bench.effort.manyKeys, many), await stageOf(1000, bench.fleet)] as const
    const [ofMany, ofFew] = await alternate(bench, 'P3', stages)
    for (const { system } of stages) await system.stop()
    const [nameOfMany, nameOfFew] = stages.map(({ name }) => name)
    return {
      findings: [
        {
          what: `p50, ${nameOfMany} against ${nameOfFew}`,
          value: ratioOf(ofMany, ofFew, 'p50Ms'),
          unit: '×',
          budget: { atMost: 1.15 },
        },
        {
          what: `CPU a request, ${nameOfMany} against ${nameOfFew}`,
          value: ratioOf(ofMany, ofFew, 'cpuMicros'),
          unit: '×',
        },
      ],
      systems: [rowOf(stages[0].name, ofMany), rowOf(stages[1].name, ofFew)],
    }
  },
}

function stageOf(keys: number, fleet: Fleet): Promise<Stage> {
  return startStage(`${keys.toLocaleString('en')} keys`, fleet, fleet.secrets)
}
