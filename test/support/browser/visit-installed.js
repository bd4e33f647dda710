// Run beside an installed portal, as its user and in its network: uses it as a person would, and prints what came of it as JSON.
// Plain JavaScript without imports of ours: it is copied to where that user can read it.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'

const [portal = '', ...commands] = process.argv.slice(2)
const NOBODY_THERE = '127.0.0.1:1'

/**
 * @param {string[]} args @param {Record<string, string>} [env]
 * @returns {Promise<{ code: number | string, stdout: string, stderr: string }>}
 */
const run = (args, env) =>
  new Promise((resolve) => {
    const child = execFile(portal, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
    child.stdin?.end()
  })

/** The first line of the help of every command, of the groups too. */
async function usages() {
  const lines = []
  for (const command of commands) {
    const { stdout } = await run([...command.split(' ').filter(Boolean), '--help'])
    lines.push(stdout.split('\n')[0])
  }
  return lines
}

/**
 * Starts a portal, and waits until it has greeted, and so many workers are ready.
 * @param {number} ready @param {string[]} args @param {Record<string, string>} env
 */
async function start(ready, args, env) {
  const child = spawn(portal, ['serve', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk
      child.emit('printed')
    })
  }
  const ended = once(child, 'exit')
  const tooEarly = ended.then(() => Promise.reject(new Error(printed)))
  tooEarly.catch(() => {})
  const isUp = () => /Portal is at \S+\s/.test(printed) && printed.split('"ready":').length > ready
  while (!isUp()) await Promise.race([once(child, 'printed'), tooEarly])
  const [, url = ''] = /Portal is at (\S+)/.exec(printed) ?? []
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, printed, stop }
}

async function serve() {
  const away = { VALKEY_URL: `valkey://${NOBODY_THERE}`, SMTP_URL: `smtp://${NOBODY_THERE}?from=portal@example.com` } // loads what speaks to them
  const { url, printed, stop } = await start(0, ['--demo'], away)
  const [secret = ''] = /emp_\w{49}/.exec(printed) ?? []
  const results = {
    first: await call(url, secret),
    page: await page(url),
    documents: (await fetch(`${url}/docs/api`)).status,
    tools: await listTools(url, secret),
    signedUp: await signUp(url),
    generated: await run(['key', 'generate', '--org', 'demo', '--label', 'another', '--json']),
  }
  const another = await call(url, JSON.parse(results.generated.stdout).secret)
  return { ...results, secret, another, ended: await stop() }
}

/** Two workers on the same data. @param {string} secret */
async function serveWithWorkers(secret) {
  const { url, stop } = await start(2, [], { WORKERS: '2' })
  return { called: await call(url, secret), ended: await stop() }
}

/** @param {string} url @param {string} secret */
async function call(url, secret) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-secret': secret },
    body: JSON.stringify({ query: '{ devices { totalCount } }' }),
  })
  return response.json()
}

/** @param {string} url @param {string} secret */
async function listTools(url, secret) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'api-secret': secret,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  return response.status
}

/** A password is hashed by a thread, whose file has to be there. @param {string} url */
async function signUp(url) {
  const response = await fetch(`${url}/auth/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', name: 'Ada', password: 'a long enough passphrase' }),
  })
  return response.status
}

/** @param {string} url */
async function page(url) {
  const response = await fetch(url)
  const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await response.text()) ?? []
  return [response.status, (await fetch(new URL(script, url))).status]
}

/** Whether anything but this machine can be reached. */
const isOffline = () =>
  fetch('http://192.0.2.1', { signal: AbortSignal.timeout(1000) }).then(
    () => false,
    (error) => error.cause?.code === 'ENETUNREACH',
  )

const before = {
  user: process.getuid?.(),
  offline: await isOffline(),
  version: await run(['--version']),
  help: await run(['key', 'generate', '--help']),
  migrated: await run(['migrate']),
  postgres: await run(['migrate'], {
    DATABASE_URL: `postgres://portal@${NOBODY_THERE}/portal`,
    PORTAL_SECRET: 'x'.repeat(32),
  }),
}
const served = await serve()
const workers = await serveWithWorkers(served.secret)
process.stdout.write(JSON.stringify({ ...before, served, workers, usages: await usages() }))
