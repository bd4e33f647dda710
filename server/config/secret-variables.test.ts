import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { readConfig } from '../config.ts'
import { SECRET_VARIABLES } from './secret-variables.ts'

const SECRET = 'a secret with blanks, 32 characters or more'

function fileWith(content: string): string {
  const path = join(temporaryFolder(), 'secret')
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

const secretFrom = (path: string) => readConfig({ PORTAL_SECRET_FILE: path }).portalSecret

const VALUES: Record<(typeof SECRET_VARIABLES)[number], string> = {
  DATABASE_URL: 'postgres://portal:pw@db/portal',
  PORTAL_SECRET: SECRET,
  ADMIN_PASSWORD: ' blanks are part of a password ',
  VALKEY_URL: 'valkey://:pw@localhost',
  SMTP_URL: 'smtp://u:pw@localhost?from=a@example.com',
  METRICS_TOKEN: 'x'.repeat(32),
  BACKUP_PASSPHRASE: 'a long passphrase',
}

it.each(SECRET_VARIABLES)('%s_FILE is the same as the variable with the content of the file', (name) => {
  const others = { PORTAL_SECRET: SECRET, ADMIN_EMAIL: 'a@example.com', ORGANIZATION: 'Acme', ADMIN_PASSWORD: 'pw' }
  const { [name]: _without, ...needed } = others as Record<string, string>
  const expected = readConfig({ ...needed, [name]: VALUES[name] })
  expect(readConfig({ ...needed, [`${name}_FILE`]: fileWith(`${VALUES[name]}\n`) })).toEqual(expected)
})

describe('the value is the content of the file', () => {
  it.each(['', '\n', '\r\n', '\n\n'])('with %j at its end', (end) => {
    expect(secretFrom(fileWith(`${SECRET}${end}`))).toBe(SECRET)
  })

  it('through a link, as orchestrators mount secrets, and with blanks around the path', () => {
    const path = fileWith(SECRET)
    const link = `${path}-link`
    symlinkSync(path, link)
    expect(secretFrom(` ${link} `)).toBe(SECRET)
  })

  it('and an empty variable beside it counts as unset', () => {
    expect(readConfig({ PORTAL_SECRET: ' ', PORTAL_SECRET_FILE: fileWith(SECRET) }).portalSecret).toBe(SECRET)
  })
})

describe('refuses a file, and does not repeat its path', () => {
  const problemWith = (path: string, env: Record<string, string> = {}) => {
    const reading = () => readConfig({ PORTAL_SECRET_FILE: path, ...env })
    expect(reading).toThrow(/^Cannot start: /)
    try {
      return reading() && ''
    } catch (error) {
      expect(String(error)).not.toContain(path)
      return String(error).replace(/^OperatorError: /, '')
    }
  }

  it('that is not there', () => {
    expect(problemWith('/nowhere/secret')).toBe(
      'Cannot start: PORTAL_SECRET_FILE names a file that cannot be read (no such file or directory).',
    )
  })

  it('that is a folder, or something else that is no file', () => {
    const folder = join(temporaryFolder(), 'folder')
    mkdirSync(folder)
    expect(problemWith(folder)).toContain('PORTAL_SECRET_FILE names a folder, and must name a file.')
    expect(problemWith('/dev/zero')).toContain('PORTAL_SECRET_FILE must name a plain file.')
  })

  it.each(['', '\n', '  \n'])('that is empty: %j', (content) => {
    expect(problemWith(fileWith(content))).toBe('Cannot start: PORTAL_SECRET_FILE names an empty file.')
  })

  it('that is too large to be a secret', () => {
    const path = fileWith('')
    truncateSync(path, 64 * 1024 + 1)
    expect(problemWith(path)).toContain('PORTAL_SECRET_FILE names a file of more than 64 KiB.')
  })

  it.skipIf(process.getuid?.() === 0)('that this user may not read', () => {
    const path = fileWith(SECRET)
    chmodSync(path, 0)
    expect(problemWith(path)).toContain('PORTAL_SECRET_FILE names a file that cannot be read (permission denied).')
  })

  it('where the variable is set too', () => {
    expect(problemWith(fileWith(SECRET), { PORTAL_SECRET: SECRET })).toBe(
      'Cannot start: PORTAL_SECRET and PORTAL_SECRET_FILE are both set, set one of them.',
    )
  })

  it('whose content does not fit, together with all other problems', () => {
    expect(problemWith(fileWith('short'), { PORT: 'x', SMTP_URL_FILE: '/nowhere' })).toBe(
      'Cannot start: SMTP_URL_FILE names a file that cannot be read (no such file or directory); PORT must be a whole number from 0 to 65535, such as 4000; PORTAL_SECRET must have 32 characters or more.',
    )
  })
})

it.skipIf(process.platform === 'win32')('reads a pipe, as <(…) of a shell gives it', () => {
  const program = `import { readConfig } from ${JSON.stringify(new URL('../config.ts', import.meta.url).href)}
    process.stdout.write(readConfig({ PORTAL_SECRET_FILE: process.argv[1] }).portalSecret)`
  const command = `"$0" --input-type=module -e "$1" <(printf '%s' "$2")`
  const said = execFileSync('bash', ['-c', command, process.execPath, program, SECRET], { encoding: 'utf8' })
  expect(said).toBe(SECRET)
})
