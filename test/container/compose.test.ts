import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig, VARIABLES } from '../../server/config.ts'
import { GIVE_UP_MS } from '../../server/process/signals.ts'
import { ROOT } from '../support/sources.ts'
import { composeText, readCompose, substitute, variablesIn } from './compose-file.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const { services, networks, volumes } = readCompose()
const portal = services['portal'] ?? { image: '' }
const proxy = services['proxy'] ?? { image: '' }

const GIVEN = {
  BASE_URL: 'https://portal.example.com',
  PORTAL_CERTIFICATE: './portal.pem',
  POSTGRES_PASSWORD: 'f00d'.repeat(16),
  PORTAL_SECRET: 'cafe'.repeat(16),
}
const settings = readCompose(substitute(composeText(), GIVEN)).services['portal']?.environment

describe('compose.yaml', () => {
  it('runs three replicas, a database, Valkey and a proxy, each with a health check', () => {
    expect(Object.keys(services)).toEqual(['proxy', 'portal', 'database', 'valkey'])
    expect(portal.deploy?.replicas).toBe(3)
    for (const [name, { healthcheck }] of Object.entries(services)) expect(healthcheck?.test[0], name).toBe('CMD')
  })

  it('sets variables that the portal has, to values that it accepts', () => {
    expect(Object.keys(VARIABLES)).toEqual(expect.arrayContaining(Object.keys(settings ?? {})))
    const config = readConfig(settings)
    expect(config).toMatchObject({ trustProxy: ['172.31.250.0/24'], postgres: { database: 'portal' }, signUp: true })
    expect(config.baseUrl?.href).toBe('https://portal.example.com/')
    expect(config.valkeyUrl?.href).toBe('valkey://valkey:6379')
  })

  it('drains longer than the proxy needs to notice, and is not killed before it has stopped', () => {
    const { drainSeconds } = readConfig(settings)
    const [, interval, failed] = /check inter (\d+)s fall (\d+)/.exec(read('docs/compose/haproxy.cfg')) ?? []
    expect(drainSeconds).toBeGreaterThan(Number(interval) * (Number(failed) + 1))
    expect(Number.parseInt(portal.stop_grace_period ?? '', 10)).toBeGreaterThan(drainSeconds + GIVE_UP_MS / 1000)
  })

  it('contains no secret: a secret has no default, and a message that says what to set', () => {
    const wanted = variablesIn(composeText())
    const required = wanted.filter(({ kind }) => kind === '?')
    expect([...new Set(required.map(({ name }) => name))].sort()).toEqual(Object.keys(GIVEN).sort())
    for (const { name, rest } of required) expect(rest.length, name).toBeGreaterThan(20)
    for (const { name, kind, rest } of wanted) {
      if (/SECRET|PASSWORD|SMTP_URL/.test(name)) expect(kind === '?' || rest === '', name).toBe(true)
    }
    const secrets = Object.values(services).flatMap(({ environment = {} }) =>
      Object.entries(environment).filter(([name]) => /SECRET|PASSWORD|_URL$/.test(name)),
    )
    for (const [name, value] of secrets) expect(value, name).toMatch(/\$\{|^valkey:\/\/valkey:6379$/)
  })

  it('refuses to start without the required variables', () => {
    for (const name of Object.keys(GIVEN)) {
      expect(() => substitute(composeText(), { ...GIVEN, [name]: '' }), name).toThrow(name)
    }
  })

  it('exposes only the proxy, which shares no network with the databases', () => {
    const open = Object.entries(services).filter(([, { ports = [] }]) => ports.length > 0)
    expect(open.map(([name]) => name)).toEqual(['proxy'])
    expect(proxy.networks).toEqual(['web'])
    const inside = Object.entries(services).filter(([, service]) => service.networks?.includes('web'))
    expect(inside.map(([name]) => name)).toEqual(['proxy', 'portal'])
  })

  it('trusts the addresses of the network of the proxy', () => {
    const network = readCompose(substitute(composeText(), { ...GIVEN, PORTAL_SUBNET: '10.7.0.0/24' }))
    expect(network.networks['web']).toEqual({ ipam: { config: [{ subnet: '10.7.0.0/24' }] } })
    expect(network.services['portal']?.environment?.['TRUST_PROXY']).toBe('10.7.0.0/24')
  })

  it('names services, networks, volumes and files that exist', () => {
    for (const { networks: joined = [], depends_on = {}, volumes: all = [] } of Object.values(services)) {
      const mounted = all.filter((volume) => !volume.startsWith('${'))
      for (const name of joined) expect(networks, name).toHaveProperty(name)
      for (const name of Object.keys(depends_on)) expect(services, name).toHaveProperty(name)
      for (const [source = ''] of mounted.map((text) => text.split(':'))) {
        if (source.startsWith('./')) expect(existsSync(join(ROOT, source)), source).toBe(true)
        else expect(volumes, source).toHaveProperty(source)
      }
    }
    const { DATABASE_URL = '', VALKEY_URL = '' } = settings ?? {}
    expect([DATABASE_URL, VALKEY_URL].map((url) => new URL(url).hostname)).toEqual(['database', 'valkey'])
    expect(new URL(DATABASE_URL).password).toBe(GIVEN.POSTGRES_PASSWORD)
  })
})

describe('its proxy', () => {
  const config = read('docs/compose/haproxy.cfg')

  it('forwards to the service and the port of the image, and listens where the published ports lead', () => {
    const [, service = '', port = ''] = /server-template \w+ \d+ (\w+):(\d+)/.exec(config) ?? []
    expect(services).toHaveProperty(service)
    expect(read('Containerfile')).toMatch(new RegExp(`^ENV .*\\bPORT=${port}\\b`, 'm'))
    const bound = [...config.matchAll(/^ {2}bind :(\d+)/gm)].map(([, number]) => number)
    expect(proxy.ports?.map((text) => text.split(':')[1])).toEqual(bound)
    expect(proxy.volumes?.map((text) => text.split(':').at(-2))).toContain(/ crt (\S+)/.exec(config)?.[1])
  })

  it('does not let a caller choose its own address', () => {
    expect(config).toContain('http-request set-header X-Forwarded-For %[src]')
    expect(config).not.toMatch(/option +forwardfor|add-header X-Forwarded/)
  })
})

describe('Containerfile', () => {
  const containerfile = read('Containerfile')

  it('has the health check of compose.yaml', () => {
    const [, test = ''] = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(containerfile) ?? []
    expect(['CMD', ...JSON.parse(test)]).toEqual(portal.healthcheck?.test)
  })
})
