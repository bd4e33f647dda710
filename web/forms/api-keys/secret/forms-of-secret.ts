import type { GeneratedKey } from '../../../api/api-keys.ts'

/** For a `.env` file, or a secrets manager that reads one. */
export const asEnvLine = (secret: string) => `API_SECRET=${secret}`

/** A first call that can be pasted into a shell. */
export const asCurl = (secret: string, origin: string, query: string) =>
  [
    `curl ${origin}/graphql`,
    `-H 'content-type: application/json'`,
    `-H 'api-secret: ${secret}'`,
    `-d '${JSON.stringify({ query })}'`,
  ].join(' \\\n  ')

/** A call that the access of the key includes. */
export function firstCallOf({ access, deviceId }: GeneratedKey['apiKey']): string {
  if (access !== 'CHECK_IN') return '{ devices { data { id name } } }'
  return deviceId ? checkInCall(deviceId) : '{ viewer { organization { name } } }'
}

/** By which a device says that it is alive. */
export const checkInCall = (deviceId: string) => `mutation { checkInDevice(id: "${deviceId}") { lastSeenAt } }`
