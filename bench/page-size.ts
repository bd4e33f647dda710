import { PAGE_SIZE } from './support/call.ts'
import { calmer, type Question } from './support/question.ts'
import { alternate, ratioOf, rowOf } from './support/rounds.ts'
import { stageOf } from './support/stage.ts'
import { startPortal } from './support/system.ts'

const LARGE = 500

/** The cost of a device on a large page, where the call itself is paid for once. */
export const pageSize: Question = {
  id: 'page',
  asks: `a page of ${LARGE} devices against a page of ${PAGE_SIZE}`,
  isLong: true,
  async answer(bench) {
    const { fleet } = bench
    const system = await startPortal('portal', fleet)
    const of = (size: number) =>
      stageOf(`page of ${size}`, system, fleet, { query: `{ devices(first: ${size}) { data { id name } } }`, size })
    const [ofLarge, ofSmall] = await alternate(calmer(bench), 'page', [await of(LARGE), await of(PAGE_SIZE)])
    await system.stop()
    return {
      findings: [
        {
          what: `CPU a request, ${LARGE} devices against ${PAGE_SIZE}`,
          value: ratioOf(ofLarge, ofSmall, 'cpuMicros'),
          unit: '×',
        },
      ],
      systems: [rowOf(`page of ${LARGE}`, ofLarge), rowOf(`page of ${PAGE_SIZE}`, ofSmall)],
    }
  },
}
