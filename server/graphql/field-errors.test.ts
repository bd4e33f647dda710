import { expect, it } from 'vitest'
import { runScript } from '../../test/support/process/run-script.ts'

const GRAPHQL = import.meta.resolve('graphql')
const [MODULE, APP_ERROR] = ['./field-errors.ts', '../lib/app-error.ts'].map((path) => import.meta.resolve(path))

/** Two entries: one that fails later with what is given, and one that fails at once. */
const SCRIPT = `
  import { buildSchema, execute, parse } from '${GRAPHQL}'
  import { isFieldError } from '${MODULE}'
  import { AppError } from '${APP_ERROR}'
  const turn = () => new Promise(setImmediate) // rejections that nobody handles are reported before it
  const log = { error: ({ path }, words) => console.log(words, path.join('.')) }
  if (process.argv[1] === 'handled') process.on('unhandledRejection', (reason) => {
    if (!isFieldError(reason, log)) throw reason
  })
  const schema = buildSchema('type Query { list(later: String): [Entry!]! } type Entry { field: Int! }')
  async function answer(later) {
    const list = [{ field: async () => { await null; throw later } }, { field: () => { throw new Error('at once') } }]
    const { errors } = await execute({ schema, document: parse('{ list { field } }'), rootValue: { list } })
    console.log(errors.map(({ message }) => message).join())
  }
  await answer(new AppError('NOT_FOUND'))
  await answer(new TypeError('a bug'))
  await turn()
  if (process.argv[2] === 'other') void Promise.reject(new Error('no field'))
  await turn()
  console.log('alive')
`

const run = async (...args: string[]) => (await runScript(SCRIPT, args)).trim().split('\n')

it('an entry of a list that fails when the list is given up already does not end the process; a bug is logged', async () => {
  expect(await run('handled')).toEqual(['at once', 'at once', 'bug list.0.field', 'alive'])
})

it('without that it would end, and any other rejection does end it', async () => {
  await expect(run('as it is')).rejects.toThrow('GraphQLError')
  await expect(run('handled', 'other')).rejects.toThrow('no field')
})
