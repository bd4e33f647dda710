import { mintSecret } from '../../../server/secrets/secret.ts'
import type { World } from './world.ts'

export const WHO = '{ viewer { role } }'

/** Asks both in turn, all at once, and counts the answers by their status. */
export async function statuses(
  both: readonly [World, World],
  times: number,
  ask: (world: World) => Promise<{ status: number }>,
) {
  const answers = await Promise.all(Array.from({ length: times }, (_, i) => ask(i % 2 === 0 ? both[0] : both[1])))
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]),
  )
}

export const askWith = (secret: string) => (world: World) => world.asKey(secret).call(WHO)
export const refused = (world: World) => world.asKey(mintSecret('emp_')).call(WHO)
export const refusedFrom = (address: string) => (world: World) =>
  world.post('/graphql', { query: WHO }, { headers: { 'api-secret': mintSecret('emp_'), 'x-forwarded-for': address } })
export const wrongPassword = (email: string) => (world: World) =>
  world.post('/auth/sign-in', { email, password: 'not the passphrase' })
