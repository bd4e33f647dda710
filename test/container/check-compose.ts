import type { Check } from './checks.ts'
import { type Stack, startStack } from './compose-stack.ts'
import { ask, tryTo } from './engine.ts'
import { askInside, type Client, clientOf, portalIn } from './stack-client.ts'

const CALLS = 60
const FORGED = '203.0.113.7'
const QUERY = '{"query":"{ devices { data { name } } }"}'

/** The whole of compose.yaml: one name, three replicas behind it, one database. */
export const checkCompose: Check = async ({ lab, image, say }) => {
  const stack = await startStack(lab.engine, image, say)
  try {
    const client = await clientOf(stack)
    const [first = '', second = '', third = ''] = stack.replicas
    const generated = await portalIn(stack, first, ['key', 'generate', '--org', 'acme-edge', '--label', 'ci', '--json'])
    const { id, secret }: { id: string; secret: string } = JSON.parse(generated)

    await expectAnswers(client, secret, 200, 'a key')
    const busy = await Promise.all(stack.replicas.map((name) => requestsOf(stack, name)))
    if (busy.some((count) => count === 0)) throw new Error(`calls of each replica: ${busy.join(', ')}`)
    await expectSender(stack, await portalIn(stack, second, ['key', 'show', id, '--json']))
    for (const path of ['/metrics', '/%6detrics', '/metrics/']) {
      const { status } = await client(path)
      if (status !== 404) throw new Error(`${path} answers ${status} to the outside`)
    }
    const stopped = ask(lab.engine, ['stop', '-t', '20', third])
    await expectAnswers(client, secret, 200, 'a key while a replica stops')
    await stopped
    await portalIn(stack, second, ['key', 'revoke', id, '--yes'])
    await expectAnswers(client, secret, 401, 'a revoked key')
    return `${CALLS} calls went to ${busy.join(', ')}; none failed while a replica stopped; revoked at one, refused by all`
  } catch (error) {
    const { stderr, stdout } = await tryTo(lab.engine, ['logs', '--tail', '3', stack.proxy])
    throw new Error(`${error instanceof Error ? error.message : error}\nThe proxy: ${stderr}${stdout}`)
  } finally {
    await stack.close()
  }
}

async function expectAnswers(client: Client, secret: string, wanted: number, what: string): Promise<void> {
  for (let i = 0; i < CALLS; i++) {
    const { status, body } = await client('/graphql', { 'api-secret': secret, 'x-forwarded-for': FORGED }, QUERY)
    if (status !== wanted) throw new Error(`${what}: call ${i + 1} answers ${status} ${body}`)
  }
}

/** Calls of the API that a replica has answered, by its own count. */
async function requestsOf(stack: Stack, replica: string): Promise<number> {
  const metrics = (await askInside(stack, replica, '/metrics')) ?? ''
  const counts = [...metrics.matchAll(/^portal_http_requests_total\{.*"\/graphql".*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** A caller cannot choose its address, and the proxy's is not taken for it. */
async function expectSender({ engine, proxy }: Stack, shown: string): Promise<void> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'
  const ofProxy = (await ask(engine, ['container', 'inspect', '--format', format, proxy])).split(/\s+/).filter(Boolean)
  const addresses: string[] = shown.match(/\b\d+\.\d+\.\d+\.\d+\b/g) ?? []
  if (addresses.length === 0 || [...ofProxy, FORGED].some((address) => addresses.includes(address))) {
    throw new Error(`the callers' addresses are taken to be ${addresses.join(', ') || 'unknown'}`)
  }
}
