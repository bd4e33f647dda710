import { call, DEVICES, PAGE_SIZE } from './call.ts'
import type { Expected } from './message.ts'
import type { Fleet } from './seed.ts'
import type { System } from './system.ts'

/** A page of devices, to the byte; checked to have this size. */
export const expectDevices = (system: System, fleet: Fleet, { query = DEVICES, size = PAGE_SIZE } = {}) =>
  expectPage('devices', system, fleet, { query, size })

/** A page of anything with ids, to the byte; checked to have this size. */
export async function expectPage(
  field: string,
  { name, port }: System,
  { secret }: Fleet,
  { query, size }: { query: string; size: number },
): Promise<Expected> {
  const { status, body } = await call(port, secret, query)
  const answer: { data?: Record<string, { data?: { id?: string }[] }>; errors?: unknown } = JSON.parse(body)
  const rows = answer.data?.[field]?.data ?? []
  const isPage = rows.length === size && rows.every(({ id }) => id)
  if (status !== 200 || answer.errors || !isPage) throw new Error(`${name} answers no page: ${status} ${body}`)
  return { status, body, exact: true }
}

/** The refusal of a key, up to the request id, which always differs. */
export async function expectRefusal({ name, port }: System, secret: string): Promise<Expected> {
  const { status, body } = await call(port, secret)
  const [same, rest] = body.split(/(?<="requestId":")/)
  const isRefusal = status === 401 && body.includes('"code":"API_KEY_INVALID"')
  if (!isRefusal || same === undefined || !rest) throw new Error(`${name} answers no refusal: ${status} ${body}`)
  return { status, body: same, exact: false }
}
