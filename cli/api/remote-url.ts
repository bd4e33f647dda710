import { badInput } from '../../server/lib/check.ts'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The endpoint of the API of a portal, given by its address. Throws where the secret could be read on the way. */
export function endpointOf(address: string, { insecure }: { insecure: boolean }): URL {
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address))
    throw badInput('remote', '--remote: give the address of a portal, such as https://portal.example.com.')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '')
    throw badInput('remote', '--remote: the address has a name or password in it, which the portal does not use.')
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !insecure)
    throw badInput(
      'remote',
      '--remote: http:// would send the secret readable by everyone on the way. Use https://, or --insecure where the network is your own.',
    )
  url.pathname = `${url.pathname.replace(/\/(graphql\/?)?$/, '')}/graphql`
  url.search = ''
  url.hash = ''
  return url
}
