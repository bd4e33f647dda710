import { type Config, isEveryAddress, originOf } from '../config.ts'
import { type Check, type Finding, failure, orSuccess, success, warning } from './check.ts'
import { ask, isPortal, isRunningHere, seenAt } from './public-address.ts'

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether the public address leads to this portal. */
export const baseUrl: Check = {
  name: 'BASE_URL',
  async run(installation) {
    const { config } = installation
    const url = config.baseUrl
    if (!url) return [withoutBaseUrl(config)]
    const asked = await ask(new URL('/health/live', url))
    if ('error' in asked) return [await unreachable(config, url, asked.error)]
    const { status, headers } = asked.answer
    if (status >= 300 && status < 400)
      return [
        failure(
          `${url.origin} redirects to ${headers.get('location')}.`,
          'Set BASE_URL to the address that people end up at.',
        ),
      ]
    if (!(await isPortal(asked)))
      return [
        failure(
          `Another program than the portal answers at ${url.origin} (status ${status}).`,
          'Check BASE_URL, and where the proxy sends requests.',
        ),
      ]
    if (installation.database && !(await seenAt(url, installation)))
      return [
        failure(
          `The portal at ${url.origin} is another one than that of this database.`,
          'Check BASE_URL and the settings of the database: DATABASE_URL, DATA_DIR. An older version answers like that too.',
        ),
      ]
    return orSuccess([...insecure(url), ...lostHeaders(headers)], `${url.origin} leads to this portal.`)
  },
}

const withoutBaseUrl = (config: Config): Finding =>
  config.postgres || config.smtp || isEveryAddress(config.host)
    ? warning(
        `BASE_URL is not set: links lead to ${originOf(config)}.`,
        'Set it to the public address, such as https://portal.example.com.',
      )
    : success(`BASE_URL is not set: the portal is for this machine only, ${originOf(config)}.`)

/** While the portal is stopped, nobody can answer. */
async function unreachable(config: Config, url: URL, error: Error): Promise<Finding> {
  const reason =
    'code' in error ? String(error.code) : error.name === 'TimeoutError' ? 'no answer in time' : error.message
  if (/CERT|TLS|SSL|SIGN/.test(reason))
    return failure(
      `The certificate of ${url.origin} is not accepted (${reason}).`,
      'Renew it, or send its whole chain. For a private CA set NODE_EXTRA_CA_CERTS.',
    )
  return (await isRunningHere(config))
    ? failure(
        `${url.origin} cannot be reached (${reason}), although the portal is running.`,
        'Check BASE_URL, its DNS name and the proxy.',
      )
    : warning(
        `${url.origin} cannot be reached (${reason}), and no portal is running here.`,
        'Start the portal, and check again.',
      )
}

const insecure = ({ protocol, hostname }: URL): Finding[] =>
  protocol === 'http:' && !LOCAL.test(hostname)
    ? [
        warning(
          'BASE_URL is http: anyone in between can read keys, passwords and cookies.',
          'Put a proxy with TLS in front, and set BASE_URL to https.',
        ),
      ]
    : []

const lostHeaders = (headers: Headers): Finding[] =>
  ['x-content-type-options', 'cache-control']
    .filter((name) => !headers.has(name))
    .map((name) => warning(`A proxy removes the response header ${name}.`, 'Let it pass on the response headers.'))
