import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { examinedBy, expectFound, failuresOf } from '../../test/support/process/examined.ts'
import { freePort } from '../../test/support/process/free-port.ts'
import { stoppedPortal } from '../../test/support/process/stopped-portal.ts'
import { startOther, startProxy, startUntrusted } from '../../test/support/world/altering-proxy.ts'
import { newStorage } from '../../test/support/world/storage.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { doctorProof } from '../http/doctor-proof.ts'

/** A portal that is running, and the variables of a command beside it. */
async function running(env: Record<string, string> = {}) {
  const world = await startWorld({ env, now: Date.now })
  onTestFinished(world.close)
  const port = String(new URL(world.url).port)
  return { url: world.url, env: { ...world.storage.env, ...env, PORT: port } }
}

const replacing = ({ 'x-forwarded-for': _forged, ...headers }: IncomingHttpHeaders) => ({
  ...headers,
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
})

describe('at BASE_URL doctor finds', () => {
  it('nothing, if the portal answers there', async () => {
    const { url, env } = await running()
    const found = await examinedBy({ env: { ...env, BASE_URL: url } })
    expect(found.get('BASE_URL')).toEqual({ level: 'success', message: `${url} leads to this portal.` })
    expect(found.get('proxy')).toEqual({ level: 'success', message: 'No proxy is seen, and none is trusted.' })
    expect(failuresOf(found)).toEqual([])
  })

  it('that the portal is not running', async () => {
    const env = { DATA_DIR: await stoppedPortal(), BASE_URL: `http://127.0.0.1:${await freePort()}` }
    await expectFound({ env }, 'BASE_URL', 'warning', /cannot be reached \(ECONNREFUSED\), and no portal is running/)
  })

  it('that it cannot be reached, although the portal is running', async () => {
    const { env } = await running()
    const BASE_URL = `http://127.0.0.1:${await freePort()}`
    await expectFound({ env: { ...env, BASE_URL } }, 'BASE_URL', 'failure', /although the portal is running/)
  })

  it('another program', async () => {
    const { env } = await running()
    await expectFound({ env: { ...env, BASE_URL: await startOther(200) } }, 'BASE_URL', 'failure', /Another program/)
  })

  it('a certificate that is not accepted', async () => {
    const { env } = await running()
    await expectFound(
      { env: { ...env, BASE_URL: await startUntrusted() } },
      'BASE_URL',
      'failure',
      /The certificate of/,
    )
  })

  it('a redirect', async () => {
    const { env } = await running()
    const BASE_URL = await startOther(301, { location: 'https://portal.example.com/' })
    await expectFound(
      { env: { ...env, BASE_URL } },
      'BASE_URL',
      'failure',
      /redirects to https:\/\/portal\.example\.com/,
    )
  })

  it('the portal of another database', async () => {
    const { env } = await running()
    const storage = await newStorage() // not a copy of the same one
    onTestFinished(storage.remove)
    const another = await startWorld({ beside: { storage }, now: Date.now })
    onTestFinished(another.close)
    await expectFound({ env: { ...env, BASE_URL: another.url } }, 'BASE_URL', 'failure', /is another one/)
  })
})

describe('of a proxy doctor finds', () => {
  it('nothing, if it replaces the address and is trusted', async () => {
    const { url, env } = await running({ TRUST_PROXY: '127.0.0.1' })
    const found = await examinedBy({ env: { ...env, BASE_URL: await startProxy(url, replacing) } })
    expect(found.get('proxy')).toMatchObject({ level: 'success' })
    expect(failuresOf(found)).toEqual([])
  })

  it('that it removes api-secret', async () => {
    const { url, env } = await running({ TRUST_PROXY: '127.0.0.1' })
    const removing = ({ 'api-secret': _removed, ...headers }: IncomingHttpHeaders) => replacing(headers)
    const BASE_URL = await startProxy(url, removing)
    await expectFound({ env: { ...env, BASE_URL } }, 'proxy', 'failure', /removes the header api-secret/)
  })

  it('that it is not trusted: TRUST_PROXY is off', async () => {
    const { url, env } = await running()
    const BASE_URL = await startProxy(url, replacing)
    await expectFound({ env: { ...env, BASE_URL } }, 'proxy', 'failure', /There is a proxy, and TRUST_PROXY is off/)
  })

  it('that it is not one of those that are trusted', async () => {
    const { url, env } = await running({ TRUST_PROXY: '10.0.0.5' })
    const BASE_URL = await startProxy(url, replacing)
    await expectFound({ env: { ...env, BASE_URL } }, 'proxy', 'failure', /is not one of TRUST_PROXY/)
  })

  it('that there is none, and TRUST_PROXY is on: callers choose their address', async () => {
    const { url, env } = await running({ TRUST_PROXY: 'on' })
    await expectFound({ env: { ...env, BASE_URL: url } }, 'proxy', 'failure', /Callers can choose their address/)
  })

  it('that it passes a forged address on', async () => {
    const { url, env } = await running({ TRUST_PROXY: 'on' })
    const BASE_URL = await startProxy(url)
    await expectFound({ env: { ...env, BASE_URL } }, 'proxy', 'failure', /Callers can choose their address/)
  })

  it('that it appends, where that cannot be judged', async () => {
    const appending = (headers: IncomingHttpHeaders) => ({
      ...headers,
      'x-forwarded-for': `${headers['x-forwarded-for']}, 127.0.0.1`,
    })
    const listed = await running({ TRUST_PROXY: '127.0.0.1' })
    const throughList = { ...listed.env, BASE_URL: await startProxy(listed.url, appending) }
    await expectFound({ env: throughList }, 'proxy', 'warning', /cannot be told from here/)
    const all = await running({ TRUST_PROXY: 'on' })
    const throughAll = { ...all.env, BASE_URL: await startProxy(all.url, appending) }
    await expectFound({ env: throughAll }, 'proxy', 'failure', /Callers can choose their address/)
  })

  it('that anybody may be one: TRUST_PROXY is on, and the portal listens on all addresses', async () => {
    const env = { DATA_DIR: await stoppedPortal(), TRUST_PROXY: 'on', HOST: '0.0.0.0' }
    await expectFound({ env }, 'proxy', 'warning', /can choose their address/)
  })

  it('that it removes the address of callers', async () => {
    const { url, env } = await running({ TRUST_PROXY: 'on' })
    const removing = ({ 'x-forwarded-for': _removed, ...headers }: IncomingHttpHeaders) => headers
    const BASE_URL = await startProxy(url, removing)
    await expectFound({ env: { ...env, BASE_URL } }, 'proxy', 'failure', /no X-Forwarded-For arrives/)
  })
})

it('tells nobody else how a request looks: without a valid proof there is nothing', async () => {
  const { url } = await running()
  const { status } = await fetch(`${url}/nothing`)
  for (const proof of ['', 'x', doctorProof('another', Date.now()), doctorProof('', Date.now())])
    expect(await fetch(`${url}/health/headers`, { headers: { 'portal-doctor': proof } })).toMatchObject({ status })
})
