import { describe, expect, it } from 'vitest'
import type { Expected } from './message.ts'
import { CONNECTIONS } from './rounds.ts'
import type { Fleet } from './seed.ts'
import { byKeysInTurn, byOneKey } from './stage.ts'
import type { System } from './system.ts'

const portal = { name: 'portal', port: 1 } as System // only its name and port are read
const page: Expected = { status: 200, body: '{}', exact: true }

function fleetOf(keys: number): Fleet {
  const secrets = Array.from({ length: keys }, (_, i) => `secret-${i}`)
  return { folder: '', settings: {}, secret: secrets[0] ?? '', secrets }
}

const keyIn = (request: string) => /^api-secret: (.+)\r$/m.exec(request)?.[1]

describe('the calls of a load', () => {
  it('have another key each time, for more calls than are under way at once', () => {
    const { requests } = byKeysInTurn(portal, fleetOf(CONNECTIONS + 1), page)

    expect(new Set(requests.map(keyIn)).size).toBe(CONNECTIONS + 1)
  })

  it('are refused where keys in turn would meet each other', () => {
    expect(() => byKeysInTurn(portal, fleetOf(CONNECTIONS), page)).toThrow('meet each other')
  })

  it('have one key where the question is what they share', () => {
    const { name, requests } = byOneKey(portal, fleetOf(100), page)

    expect({ name, keys: requests.map(keyIn) }).toEqual({ name: 'portal, one key', keys: ['secret-0'] })
  })
})
