// Somebody with a key and twenty webhooks who changes as many devices as limits allow, in every way. A process of its own.
import { setTimeout as pause } from 'node:timers/promises'
import { graphqlRequest, type HttpConnection, openHttpConnection } from '../fault/http-connection.ts'

const ITEMS = 500
const LANES = 4
const TIMEOUT_MS = 30_000
const LIMITED_MS = 100
const RESULTS = '{ results { device { id } error { code } } }'

interface BulkOrder {
  port: number
  secret: string
  ms: number
}

process.on('disconnect', () => process.exit())
process.on('message', (order: BulkOrder) => {
  attack(order).then(
    (answer) => process.send?.({ answer }),
    (error: Error) => process.send?.({ trouble: error.message }),
  )
})

const mutation = (field: string, input: string) =>
  `mutation ($inputs: [${input}!]!) { ${field}(inputs: $inputs) ${RESULTS} }`
const CREATE = mutation('createDevices', 'CreateDeviceInput')
const UPDATE = mutation('updateDevices', 'UpdateDevicesInput')
const UPSERT = mutation('upsertDevices', 'CreateDeviceInput')
const DELETE = mutation('deleteDevices', 'DeleteDevicesInput')
const WAYS = ['update', 'update', 'dry run', 'upsert', 'create and delete'] as const

async function attack({ port, secret, ms }: BulkOrder) {
  const codes: Record<string, number> = {}
  const end = performance.now() + ms
  const note = (code: string) => {
    codes[code] = (codes[code] ?? 0) + 1
  }

  async function lane(number: number): Promise<void> {
    let connection: HttpConnection | undefined
    const send = async (query: string, inputs: readonly object[], extensions?: object): Promise<string[]> => {
      while (performance.now() < end) {
        connection = connection?.isOpen ? connection : openHttpConnection(port, TIMEOUT_MS)
        const request = graphqlRequest(secret, query, { inputs }, extensions)
        const answer = await connection.send(request).catch(() => undefined)
        note(answer ? String(answer.status) : 'no answer')
        if (answer?.status !== 429) return [...(answer?.body ?? '').matchAll(/"id":"(\w+)"/g)].map(([, id]) => id ?? '')
        await pause(LIMITED_MS)
      }
      return []
    }
    const named = (run: number | string) =>
      Array.from({ length: ITEMS }, (_, i) => ({
        name: `bulk-${number}-${run}-${i}`,
        description: `at ${performance.now()}`,
      }))
    const own = await send(CREATE, named('own'))
    for (let run = number; performance.now() < end; run++) {
      const way = WAYS[run % WAYS.length]
      const changes = own.map((id) => ({ id, description: `changed in run ${run} of lane ${number}` }))
      if (way === 'update') await send(UPDATE, changes)
      else if (way === 'dry run') await send(UPDATE, changes, { dryRun: true })
      else if (way === 'upsert') await send(UPSERT, named('own'))
      else
        await send(
          DELETE,
          (await send(CREATE, named(run))).map((id) => ({ id })),
        )
    }
    connection?.close()
  }

  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(i)))
  return { sent: Object.values(codes).reduce((sum, times) => sum + times, 0), codes }
}
