import type { Command } from 'commander'
import { readIdempotencyKey } from '../../server/graphql/idempotency/keyed-request.ts'
import { badInput } from '../../server/lib/check.ts'
import { escapedJson } from '../../server/lib/plain-text.ts'
import { newUuid } from '../../server/lib/random.ts'
import { addRemoteOptions, type ConnectOptions, withApi } from '../api/connect.ts'
import { type Api, errorFrom, type Operation, type Result, type ResultError } from '../api/graphql-api.ts'
import { type InputOptions, readDocument, readVariables, stdinUses } from '../api/inputs.ts'
import { addCommand } from '../command.ts'
import { Reported } from '../errors.ts'
import { writePart } from '../new-file.ts'
import { print, printJson, type Terminal } from '../terminal.ts'

interface Options extends ConnectOptions, InputOptions {
  operationName?: string
  paginate?: boolean
  idempotencyKey?: string
  json?: boolean
}

export function addApi(program: Command, terminal: Terminal): void {
  const command = addCommand(program, {
    name: 'api',
    message:
      'Execute a GraphQL document, and print the result as JSON: on a portal elsewhere with an API key, or on the database of this machine as the operator.',
    example: "api '{ devices { data { id name } } }' --remote https://portal.example.com",
  }).argument('[document]', 'the document; - reads it from stdin')
  addRemoteOptions(command)
    .option('--org <slug>', 'without --remote: the organization')
    .option('--file <path>', 'a file with the document')
    .option('-F, --field <name=value>', 'a variable: a number, true, false, null, JSON, a text, or @file', collect)
    .option('-f, --raw-field <name=value>', 'a variable that is a text', collect)
    .option('--variables <path>', 'a file with all variables as a JSON object; - is stdin')
    .option('--operation-name <name>', 'which operation of the document')
    .option('--paginate', 'print every page of the list that takes $after, one JSON document each')
    .option('--idempotency-key <value>', 'with --remote: repeat a write with the key of the first attempt')
    .action((document: string | undefined, options: Options) => execute(terminal, document, options))
}

const collect = (pair: string, before: string[] = []): string[] => [...before, pair]

async function execute(terminal: Terminal, document: string | undefined, options: Options): Promise<void> {
  const uses = stdinUses(document, options)
  if (uses > 1) throw badInput('stdin', 'Only one input can be read from stdin (-).')
  const query = await readDocument(terminal, document, options)
  const variables = await readVariables(terminal, options)
  const { operationName, paginate = false } = options
  const given = options.idempotencyKey === undefined ? undefined : readIdempotencyKey(options.idempotencyKey)
  const hasErrors = await withApi(terminal, { ...options, stdinIsTaken: uses > 0 }, async (api) => {
    const { isSingleWrite } = await import('../api/sent-document.ts') // loads graphql only when it is needed
    const operation: Operation = { query, variables, operationName }
    const idempotencyKey = given ?? (isSingleWrite(operation) ? newUuid() : undefined)
    let failed = false
    for await (const result of resultsOf(api, { ...operation, idempotencyKey }, paginate)) {
      await printResult(terminal, result, options)
      failed ||= result.errors !== undefined
    }
    return failed
  })
  if (hasErrors) throw new Reported(1)
}

async function* resultsOf(api: Api, operation: Operation, paginate: boolean): AsyncGenerator<Result> {
  if (!paginate) return yield await api.request(operation)
  const { allPages } = await import('../api/pages.ts')
  yield* allPages(api, operation)
}

/** The whole result; the errors in words on stderr as well. A refusal without data is nothing but its error. */
async function printResult({ stdout, stderr }: Terminal, result: Result, { json = false }: Options): Promise<void> {
  const indented = stdout.isTTY && !json ? 2 : undefined
  if ('data' in result) await writePart(stdout, `${escapedJson(JSON.stringify(result, null, indented))}\n`)
  for (const error of result.errors ?? []) {
    const { code, message } = errorFrom(error)
    if (json) printJson(stderr, { error: { code, message, ...(error.path && { path: error.path }) } })
    else print(stderr, `${inWords(error)}\n`)
  }
}

const inWords = ({ message, path = [], extensions = {} }: ResultError) =>
  `${path.length === 0 ? '' : `${path.join('.')}: `}${message}${extensions['code'] ? ` (${String(extensions['code'])})` : ''}`
