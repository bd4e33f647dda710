import { call, DEVICES, PAGE_SIZE } from './call.ts'
import type { Expected } from './message.ts'
import type { Fleet } from './seed.ts'
import type { System } from './system.ts'

/** A page of devices, to the byte; checked to be one of this size. */
export async function expectDevices(
  { name, port }: System,
  { secret }: Fleet,
  { query = DEVICES, size = PAGE_SIZE } = {},
): Promise<Expected> {
  const { status, body } = await call(port, secret, query)
  const answer: { data?: { devices?: { data?: { id?: string; name?: string }[] } }; errors?: unknown } =
    JSON.parse(body)
  const devices = answer.data?.devices?.data ?? []
  const isPage = devices.length === size && devices.every((device) => device.id && device.name)
  if (status !== 200 || answer.errors || !isPage) throw new Error(`${name} answers no page: ${status} ${body}`)
  return { status, body, exact: true }
}

/** The refusal of a key, up to the id of the request, which is never the same. */
export async function expectRefusal({ name, port }: System, secret: string): Promise<Expected> {
  const { status, body } = await call(port, secret)
  const [same, rest] = body.split(/(?<="requestId":")/)
  const isRefusal = status === 401 && body.includes('"code":"API_KEY_INVALID"')
  if (!isRefusal || same === undefined || !rest) throw new Error(`${name} answers no refusal: ${status} ${body}`)
  return { status, body: same, exact: false }
}
