import { DEVICES, rawCall } from './support/call.ts'
import { calmer, type Question } from './support/question.ts'
import { alternate, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { startStage } from './support/stage.ts'

const MORE_THAN_ARE_KEPT = 4000

/** The cost for a client that sends a new document each time, in place of variables. */
export const documents: Question = {
  id: 'documents',
  asks: 'the call of P1 with new documents, against the same one repeatedly',
  isLong: true,
  async answer(bench) {
    const warm = await startStage('the same document', bench.fleet)
    const { secrets } = bench.fleet
    const requests = Array.from({ length: MORE_THAN_ARE_KEPT }, (_, i) =>
      rawCall(warm.system.port, secrets[i % secrets.length] ?? '', `${DEVICES} # ${i}`),
    )
    const cold: Stage = { ...warm, name: 'new documents', requests }
    const [ofCold, ofWarm] = await alternate(calmer(bench), 'documents', [cold, warm])
    await warm.system.stop()
    return {
      findings: [
        {
          what: 'CPU a request, a new document against a known one',
          value: ratioOf(ofCold, ofWarm, 'cpuMicros'),
          unit: '×',
          budget: { atMost: 4 },
        },
      ],
      systems: [rowOf(cold.name, ofCold), rowOf(warm.name, ofWarm)],
    }
  },
}
