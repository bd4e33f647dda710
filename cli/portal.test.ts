import { expect, it } from 'vitest'
import { readConfig } from '../server/config.ts'
import { baseUrlOf } from './portal.ts'

it.each([
  [{}, 'http://127.0.0.1:4000'],
  [{ HOST: '0.0.0.0', PORT: '8080' }, 'http://localhost:8080'],
  [{ HOST: '::' }, 'http://localhost:4000'],
  [{ HOST: '::1' }, 'http://[::1]:4000'],
  [{ HOST: '0.0.0.0', BASE_URL: 'https://portal.example.com/' }, 'https://portal.example.com'],
])('with %o links begin with %s', (env, base) => {
  expect(baseUrlOf(readConfig(env))).toBe(base)
})
