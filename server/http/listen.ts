import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/app-error.ts'
import { codeOf } from '../lib/error-text.ts'

type ListenAddress = Pick<Config, 'host' | 'port'>

/** Returns a URL that can be clicked. A port that the system has chosen (0) is set in the configuration, since links use it. */
export async function listen(app: FastifyInstance, to: ListenAddress): Promise<string> {
  const address = await app.listen(oneServer(to)).catch((error: unknown) => explain(error, to))
  if (to.port === 0) to.port = Number(new URL(address).port)
  return address.replace('[::]', 'localhost')
}

/** Checks the port before anything is created: a first start shows its secrets once, so it must get as far as showing them. */
export async function requireFreePort(to: ListenAddress): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(oneServer(to)), 'listening')
  } catch (error) {
    explain(error, to)
  }
  probe.close()
  await once(probe, 'close')
}

/** For `localhost` Fastify would open a second server, which `createDrain` does not know. */
const oneServer = ({ host, port }: ListenAddress): ListenAddress => ({
  host: host === 'localhost' ? '127.0.0.1' : host,
  port,
})

function explain(error: unknown, { host, port }: ListenAddress): never {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      throw new OperatorError(
        `Port ${port} is taken: stop the program that uses it, or set PORT to another number, as in PORT=4001.`,
        error,
      )
    case 'EACCES':
      throw new OperatorError(`Port ${port} needs more rights than you have: set PORT to 1024 or more.`, error)
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EAI_AGAIN':
    case 'EINVAL':
    case 'ENOTFOUND':
      throw new OperatorError(
        `HOST ${host} is no address of this machine: set it to 127.0.0.1, or to 0.0.0.0 to be reached from others.`,
        error,
      )
    default:
      throw error
  }
}
