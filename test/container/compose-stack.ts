import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/process/free-port.ts'
import { ROOT } from '../support/sources.ts'
import { type ComposeFile, composeText, readCompose, substitute } from './compose-file.ts'
import { ask, type Engine, tryTo } from './engine.ts'
import { FIRST_ADMIN } from './first-call.ts'
import { run, runWell } from './run.ts'
import { provideImage } from './stand-ins.ts'

const UP_WITHIN_MS = 600_000

export type Stack = Awaited<ReturnType<typeof startStack>>

/** compose.yaml brought up by a Compose program, with the image under test and ports of this machine that are free. */
export async function startStack(engine: Engine, image: string, say: (words: string) => void) {
  const compose = await composeProgram(engine)
  const project = `portal-test-${randomBytes(3).toString('hex')}`
  const subnet = `10.201.${randomBytes(1)[0]}.0/24`
  const folder = mkdtempSync(join(tmpdir(), 'portal-compose-'))
  const ca = putCertificate(folder)
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const file = await derivedFile(
    engine,
    image,
    { subnet, ports: [`${httpPort}:8080`, `${httpsPort}:8443`], certificate: join(folder, 'portal.pem') },
    say,
  )
  writeFileSync(join(folder, 'compose.json'), JSON.stringify({ ...file, name: project }))

  const [program = '', ...args] = compose
  const tell = (...words: string[]) =>
    runWell(program, [...args, '-p', project, '-f', 'compose.json', ...words], limits)
  const limits = { cwd: folder, timeoutMs: UP_WITHIN_MS }

  async function close(): Promise<void> {
    await run(program, [...args, '-p', project, '-f', 'compose.json', 'down', '--volumes', '-t', '10'], limits)
    await removeRest(engine, project)
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    // Debian's podman-compose does not read a network's addresses: it finds the network made.
    if (engine.program === 'podman') await ask(engine, ['network', 'create', '--subnet', subnet, `${project}_web`])
    await tell('up', '-d')
    const replicas = await containersOf(engine, project, 'portal')
    const [proxy = ''] = await containersOf(engine, project, 'proxy')
    return { engine, httpsPort, ca, replicas, proxy, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The certificate of the tests with its key in one file, as HAProxy reads them; gives the certificate. */
function putCertificate(folder: string): string {
  const read = (name: string) => readFileSync(join(ROOT, 'test/support/tls', name), 'utf8')
  writeFileSync(join(folder, 'portal.pem'), `${read('localhost.crt')}${read('localhost.key')}`)
  chmodSync(folder, 0o755) // the proxy runs as a user of its own
  return read('localhost.crt')
}

async function composeProgram({ program, globals }: Engine): Promise<string[]> {
  const candidates = program === 'docker' ? [['docker', 'compose']] : [['podman-compose']]
  for (const [name = '', ...args] of candidates) {
    if ((await run(name, [...args, 'version'])).code !== 0) continue
    return [name, ...args, ...(globals.length > 0 ? [`--podman-args=${globals.join(' ')}`] : [])]
  }
  throw new Error(
    `--compose needs ${program === 'docker' ? 'docker compose' : 'podman-compose'}: install it, and try again.`,
  )
}

/** What is not at hand is replaced, and nothing else. */
async function derivedFile(
  engine: Engine,
  image: string,
  { subnet, ports, certificate }: { subnet: string; ports: string[]; certificate: string },
  say: (words: string) => void,
): Promise<ComposeFile> {
  const secrets = { POSTGRES_PASSWORD: randomBytes(32).toString('hex'), PORTAL_SECRET: randomBytes(32).toString('hex') }
  const settings = { BASE_URL: 'https://localhost', PORTAL_CERTIFICATE: certificate, PORTAL_SUBNET: subnet }
  const values = { ...secrets, ...FIRST_ADMIN, ...settings }
  const file = readCompose(substitute(composeText(), values))
  for (const [name, service] of Object.entries(file.services)) {
    delete service.build
    if (engine.program === 'podman') delete service.healthcheck // Debian's podman-compose fails on it with replicas
    service.image = name === 'portal' ? image : await provideImage(engine, name, service.image, say)
    service.volumes = (service.volumes ?? []).map((volume) => volume.replace(/^\.\//, `${ROOT}/`))
    if (service.ports) service.ports = ports
    if (engine.runFlags.length > 0) service.ulimits = { nofile: 1024, nproc: 1024 }
  }
  return file
}

async function containersOf(engine: Engine, project: string, service: string): Promise<string[]> {
  const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.service=${service}`]
  const filters = labels.flatMap((label) => ['--filter', `label=${label}`])
  return (await ask(engine, ['ps', ...filters, '--format', '{{.Names}}'])).split('\n').filter(Boolean)
}

/** Whatever a Compose program has left of a project, as where a container would not stop. */
async function removeRest(engine: Engine, project: string): Promise<void> {
  const ours = ['--filter', `label=com.docker.compose.project=${project}`, '-q']
  const containers = await ask(engine, ['ps', '-a', ...ours])
  for (const id of containers.split('\n').filter(Boolean)) await tryTo(engine, ['rm', '--force', '--volumes', id])
  const volumes = await ask(engine, ['volume', 'ls', ...ours])
  for (const name of volumes.split('\n').filter(Boolean)) await tryTo(engine, ['volume', 'rm', '--force', name])
  for (const name of ['web', 'storage']) await tryTo(engine, ['network', 'rm', '--force', `${project}_${name}`])
}
