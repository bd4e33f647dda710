import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Stack } from './compose-stack.ts'
import { ask, tryTo } from './engine.ts'
import { eventually } from './eventually.ts'

const READY_WITHIN_MS = 180_000

export interface Reply {
  status: number
  body: string
}

export type Client = (path: string, headers?: Record<string, string>, body?: string) => Promise<Reply>

/** Calls through the proxy by its name and with its certificate verified, once all replicas are ready. */
export async function clientOf(stack: Stack): Promise<Client> {
  const { replicas } = stack
  const areReady = async () => {
    const answers = await Promise.all(replicas.map((name) => askInside(stack, name, '/health/ready')))
    return answers.length === 3 && answers.every((answer) => answer !== undefined)
  }
  if (!(await eventually(READY_WITHIN_MS, areReady)))
    throw new Error(`The replicas do not get ready:\n${await logs(stack)}`)
  const client = clientAt(stack)
  const answers = async () => (await client('/health/ready').catch(() => undefined))?.status === 200
  if (!(await eventually(READY_WITHIN_MS, answers))) throw new Error('The proxy does not answer.')
  return client
}

const clientAt =
  ({ httpsPort: port, ca }: Stack): Client =>
  (path, headers = {}, body) =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST'
      const options = {
        host: 'localhost',
        port,
        path,
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ca,
        agent: false,
      }
      const sent = request(options, (answer) =>
        text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject),
      )
      sent.on('error', reject).end(body)
    })

/** What a replica answers inside of its own container; undefined unless it is a 200. */
export async function askInside({ engine }: Stack, replica: string, path: string): Promise<string | undefined> {
  const code = `fetch('http://127.0.0.1:4000${path}').then(async (r) => r.ok ? console.log(await r.text()) : process.exit(1), () => process.exit(1))`
  const { code: exit, stdout } = await tryTo(engine, ['exec', replica, 'node', '-e', code])
  return exit === 0 ? stdout : undefined
}

/** One command of the command line, in one of the replicas. */
export const portalIn = ({ engine }: Stack, replica: string, command: string[]) =>
  ask(engine, ['exec', replica, 'portal', ...command])

async function logs({ engine, replicas }: Stack): Promise<string> {
  const all = await Promise.all(replicas.map((name) => tryTo(engine, ['logs', '--tail', '3', name])))
  return all.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('')
}
