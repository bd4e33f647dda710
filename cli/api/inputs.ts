import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { badInput } from '../../server/lib/check.ts'
import type { Terminal } from '../terminal.ts'

const STDIN = '-'
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

export interface InputOptions {
  file?: string
  variables?: string
  /** `name=value`, each with its type, or as a text. */
  field?: string[]
  rawField?: string[]
}

/** Which inputs are read from stdin: there is one. */
export function stdinUses(document: string | undefined, { file, variables, field = [] }: InputOptions): number {
  const values = field.filter((pair) => pair.split('=')[1] === `@${STDIN}`)
  return [document, file, variables].filter((each) => each === STDIN).length + values.length
}

/** The document: the argument itself, a file, or stdin. */
export async function readDocument(
  terminal: Terminal,
  document: string | undefined,
  { file }: InputOptions,
): Promise<string> {
  if ((document === undefined) === (file === undefined))
    throw badInput('document', 'Give a document as an argument, or --file; - is stdin.')
  if (document !== undefined && document !== STDIN) return document
  return contentOf(terminal, file ?? STDIN, '--file')
}

/** The variables: an object in a file, and single ones over it. */
export async function readVariables(
  terminal: Terminal,
  { variables, field = [], rawField = [] }: InputOptions,
): Promise<Record<string, unknown>> {
  const all = variables === undefined ? {} : objectIn(await contentOf(terminal, variables, '--variables'))
  for (const pair of rawField) {
    const [name, value] = partsOf(pair, '-f')
    all[name] = value
  }
  for (const pair of field) {
    const [name, value] = partsOf(pair, '-F')
    all[name] = value.startsWith('@') ? await contentOf(terminal, value.slice(1), '-F') : typed(value, name)
  }
  return all
}

function partsOf(pair: string, option: string): [name: string, value: string] {
  const at = pair.indexOf('=')
  if (at < 1) throw badInput('variables', `${option}: give name=value.`)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

/** A number, true, false, null, or a list or object in JSON; anything else is a text. */
function typed(value: string, name: string): unknown {
  if (!/^(true|false|null)$/.test(value) && !NUMBER.test(value) && !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    throw badInput('variables', `-F ${name}: begins like JSON, but is none. For a text, use -f.`)
  }
}

function objectIn(json: string): Record<string, unknown> {
  const value: unknown = parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badInput('variables', '--variables: the file must have a JSON object.')
  return { ...value }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

async function contentOf({ stdin }: Terminal, path: string, option: string): Promise<string> {
  if (path === STDIN) return text(stdin)
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw badInput('file', `${option}: the file ${path} cannot be read.`)
  }
}
