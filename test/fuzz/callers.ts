import { mintSecret } from '../../server/secrets/secret.ts'
import { canaryOf, idCanaryOf, type Letter, nameCanaryOf } from './organization-rows.ts'

/** Somebody who sends documents: over which path, with which headers, and what they must never read. */
export interface Caller {
  name: string
  path: '/graphql' | '/portal/graphql'
  headers: Record<string, string>
  forbidden: readonly string[]
  /** Whether they may change things: callers of the large organizations only read. */
  writes: boolean
  /** Whether they are let in at all. */
  isGood: boolean
  /** Whether they take part in scenes alone (steps.ts): what they write goes to webhooks. */
  isOfScenes?: boolean
}

export const LETTERS: readonly Letter[] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** Support is named in the audit log of whoever it did something for. */
const SECRETIVE = LETTERS.filter((letter) => letter !== 'f')

/** The large ones are read, the small ones are written as well; those of scenes have webhooks. */
const ORGANIZATIONS = { large: ['a', 'b'], small: ['c', 'd'], scenes: ['g', 'h'] } as const

/** What the people and keys of an organization call with. */
export interface Credentials {
  key: string
  narrowKey: string
  expiredKey: string
  admin: string
  member: string
  support: string
}

export const newCredentials = (): Credentials => ({
  key: mintSecret('emp_'),
  narrowKey: mintSecret('emp_'),
  expiredKey: mintSecret('emp_'),
  admin: mintSecret('ems_'),
  member: mintSecret('ems_'),
  support: mintSecret('ems_'),
})

/** Every kind of caller, in each of the two large and the two small organizations, and those of scenes. */
export function callersOf(credentials: Readonly<Record<Letter, Credentials>>): Caller[] {
  const inOrganization = [...ORGANIZATIONS.large, ...ORGANIZATIONS.small].flatMap((letter) => {
    const { key, narrowKey, expiredKey, admin, member } = credentials[letter]
    const writes = letter === 'c' || letter === 'd'
    const common = { forbidden: foreignTo(letter), writes, isGood: true }
    return [
      { ...common, name: `key of ${letter}`, ...byKey(key) },
      { ...common, name: `key of ${letter} that may not manage keys`, ...byKey(narrowKey) },
      { ...common, name: `Admin of ${letter}`, ...bySession(admin, letter) },
      { ...common, name: `Member of ${letter}`, ...bySession(member, letter) },
      { ...common, name: `expired key of ${letter}`, ...byKey(expiredKey), writes: true, isGood: false },
    ]
  })
  const ofScenes = ORGANIZATIONS.scenes.flatMap((letter) => {
    const common = { forbidden: foreignTo(letter), writes: true, isGood: true, isOfScenes: true }
    return [
      { ...common, name: `key of ${letter}`, ...byKey(credentials[letter].key) },
      { ...common, name: `Admin of ${letter}`, ...bySession(credentials[letter].admin, letter) },
    ]
  })
  const nobody = { forbidden: SECRETIVE.flatMap(allOf), writes: true, isGood: false }
  const support = { forbidden: SECRETIVE.map(canaryOf), writes: true, isGood: true }
  return [
    ...inOrganization,
    ...ofScenes,
    { ...support, name: 'support', path: '/portal/graphql', headers: cookie(credentials.f.support) },
    { ...nobody, name: 'nobody', path: '/graphql', headers: {} },
    { ...nobody, name: 'revoked key', ...byKey(mintSecret('emp_')) },
    { ...nobody, name: 'nobody with a cookie', path: '/portal/graphql', headers: cookie(mintSecret('ems_')) },
  ]
}

export function callerNamed(name: string, callers: readonly Caller[]): Caller {
  const caller = callers.find((each) => each.name === name)
  if (!caller) throw new Error(`There is no ${name}.`)
  return caller
}

const byKey = (secret: string) => ({ path: '/graphql' as const, headers: { 'api-secret': secret } })

const bySession = (token: string, letter: Letter) => ({
  path: '/portal/graphql' as const,
  headers: { ...cookie(token), 'portal-organization': `${nameCanaryOf(letter)}-0` },
})

const cookie = (token: string) => ({ cookie: `portal-session=${token}` })

const allOf = (letter: Letter) => [canaryOf(letter), nameCanaryOf(letter), idCanaryOf(letter)]

const foreignTo = (own: Letter) => SECRETIVE.filter((letter) => letter !== own).flatMap(allOf)
