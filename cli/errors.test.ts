import { describe, expect, it } from 'vitest'
import { AppError, OperatorError } from '../server/lib/app-error.ts'
import { errorOf, NotConfirmed, orOutcomeUnknown } from './errors.ts'
import { createProgram } from './program.ts'

describe('wrong usage', () => {
  it.each([
    ['fly', "Unknown command 'fly'."],
    ['key lst --org acme', "Unknown command 'lst' (Did you mean list?)"],
    ['key prune', "Required option '--unused-for <days>' not specified."],
    ['key list --org', "Option '--org <slug>' argument missing."],
    ['key revoke', 'Give ids, or --all, or --created-by.'],
    ['key generate --org acme --expires soon', "'soon' is invalid. Give a date, or a time with its zone:"],
    ['org api-keys maybe acme', "Command-argument value 'maybe' is invalid for argument 'state'."],
    ['user create ada@example.com --role ADMIN', '--role needs --org.'],
    ['user invite ada@example.com --org acme --role BOSS', "'BOSS' is invalid. Give ADMIN or MEMBER."],
  ])('portal %s: exits with 2 and one sentence', async (words, message) => {
    const trouble = await troubleWith(words)
    expect(trouble).toMatchObject({ code: 'BAD_USER_INPUT', exitCode: 2, message: expect.stringContaining(message) })
    expect(trouble.message).toMatch(/^[^\n]+ See npx portal --help\.$/)
  })

  it.each(['hunter2', '--password=hunter2', '--password hunter2'])(
    'a password among the arguments is neither used nor repeated: %s',
    async (words) => {
      const trouble = await troubleWith(`user create ada@example.com ${words}`)
      expect(trouble).toMatchObject({ exitCode: 2, message: expect.not.stringContaining('hunter2') })
    },
  )
})

it.each([
  [new AppError('FEATURE_DISABLED'), 'FEATURE_DISABLED', 1, /^API keys are switched off/],
  [new AppError('BAD_USER_INPUT', { message: 'label: too long.' }), 'BAD_USER_INPUT', 2, /^label: too long\.$/],
  [new NotConfirmed('Nothing was revoked.'), 'NOT_CONFIRMED', 1, /^Nothing was revoked\.$/],
  [new OperatorError('Set PORT.'), 'UNAVAILABLE', 1, /^Set PORT\.$/],
  [new TypeError('x is undefined'), 'INTERNAL', 1, /^Something went wrong: x is undefined$/],
])('%s is reported with its code and exit code', (error, code, exitCode, message) => {
  expect(errorOf(error)).toEqual({ code, exitCode, message: expect.stringMatching(message) })
})

it('everything that is wrong with an input is reported, each once', () => {
  const bad = (field: string, message: string) => new AppError('BAD_USER_INPUT', { field, message })
  const others = [bad('tags', 'tags: at most 20.'), bad('more', 'name: too long.')]
  const error = new AppError('BAD_USER_INPUT', { field: 'name', message: 'name: too long.', others })
  expect(errorOf(error)).toEqual({
    code: 'BAD_USER_INPUT',
    exitCode: 2,
    message: 'name: too long. tags: at most 20.',
    errors: [
      { code: 'BAD_USER_INPUT', message: 'name: too long.', field: 'name' },
      { code: 'BAD_USER_INPUT', message: 'tags: at most 20.', field: 'tags' },
      { code: 'BAD_USER_INPUT', message: 'name: too long.', field: 'more' },
    ],
  })
})

async function troubleWith(words: string) {
  const error: unknown = await createProgram()
    .parseAsync(words.split(' '), { from: 'user' })
    .catch((thrown: unknown) => thrown)
  return errorOf(error)
}

describe('a command whose output contains a secret', () => {
  const fails = (error: unknown) => orOutcomeUnknown(Promise.reject(error), 'portal key list shows it.').catch(errorOf)

  it.each([new AppError('UNAVAILABLE'), new Error('connection lost')])(
    'reports an unknown outcome after %s',
    async (error) => {
      const { code, message } = (await fails(error)) as ReturnType<typeof errorOf>
      expect(code).toBe('UNAVAILABLE')
      expect(message).toContain(
        'It is not known whether this was done, and its secret is lost: portal key list shows it.',
      )
    },
  )

  it('reports a refusal as it is', async () => {
    expect(await fails(new AppError('FEATURE_DISABLED'))).toEqual(errorOf(new AppError('FEATURE_DISABLED')))
  })
})
