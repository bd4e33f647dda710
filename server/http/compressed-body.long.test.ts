import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { requireUncompressed } from './body.ts'

const it = inWorld(startWorld)

const BODY = gzipSync('{"query":"{ viewer { role } }"}')

it.for(['/graphql', '/mcp', '/portal/graphql', '/auth/sign-in'])(
  'POST %s: a compressed body is refused with words that name the encoding',
  async (path, { world, ada, key }) => {
    const send = async (encoding: string, body: Buffer | string) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-encoding': encoding,
        ...(path.startsWith('/portal') ? { cookie: ada.cookie } : { 'api-secret': key.secret }),
      }
      const response = await fetch(`${world.url}${path}`, { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    }
    const refused = await send('gzip', BODY)
    expect(refused.status).toBe(415)
    expect(refused.text).toContain('Bodies with Content-Encoding: gzip are not accepted: send the JSON uncompressed')
    expect(await send('identity', '{"query":"{ viewer { role } }"}')).not.toMatchObject({ status: 415 })
  },
)

it('one that is unknown is not repeated in the answer', () => {
  const refusal = (encoding: string) => () => requireUncompressed({ 'content-encoding': encoding })
  expect(refusal('<script>')).toThrow('Bodies with this Content-Encoding are not accepted')
  expect(refusal('gzip, br')).toThrow('this Content-Encoding')
  expect(refusal('BR')).toThrow('Content-Encoding: br are')
  for (const none of ['', 'identity', 'Identity']) expect(refusal(none)).not.toThrow()
})
