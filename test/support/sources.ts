import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseAst } from 'vitest/node'

export const ROOT = join(import.meta.dirname, '..', '..')
const FOLDERS = '{bin,bench,cli,scripts,server,test,web}/**/*.{js,ts,tsx}'

/** One of our files, with what it imports and the names that it uses, each with its line. */
export interface Source {
  path: string
  lines: string[]
  imports: Import[]
  uses: Use[]
  /** Its outermost statements, by kind; `export schema` for `export const schema = …`. */
  statements: Use[]
}

export interface Import {
  specifier: string
  line: number
  /** The file of ours that is meant, as a path from the root. */
  path: string | undefined
  /** `export … from`. */
  forwards: boolean
}

/** `process.env`, `new Date()`, `randomBytes`, `any`. */
export interface Use {
  name: string
  line: number
}

interface Node {
  type: string
  start: number
  [part: string]: unknown
}

/** Every source file of the project. */
export function readSources(): Source[] {
  const found = globSync(FOLDERS, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).map((path) =>
    path.replaceAll('\\', '/'),
  )
  const paths = found.filter((path) => !path.startsWith('web/dist/'))
  return paths.sort().map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')))
}

export const isFile = (path: string) => existsSync(join(ROOT, path))

export function parseSource(path: string, text: string): Source {
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js'
  const program: unknown = parseAst(text, { lang }, path)
  const lineOf = linesOf(text)
  const nodes = nodesIn(program)
  return {
    path,
    lines: text.replace(/\n$/, '').split('\n'),
    imports: nodes.flatMap((node) => importOf(node, path, lineOf)),
    uses: nodes.flatMap((node) => namesOf(node).map((name) => ({ name, line: lineOf(node) }))),
    statements: nodesOf(partOf(program, 'body')).map((node) => ({ name: kindOf(node), line: lineOf(node) })),
  }
}

type LineOf = (node: Node) => number

/** For nodes in any order; quick for those that come one after the other. */
function linesOf(text: string): LineOf {
  let [line, at] = [1, 0]
  return ({ start }) => {
    if (start < at) [line, at] = [1, 0]
    for (let end = text.indexOf('\n', at); end !== -1 && end < start; end = text.indexOf('\n', at)) {
      line++
      at = end + 1
    }
    return line
  }
}

/** The texts of a file that a person may read: string literals, templates and JSX text, without the names of imported files. */
export function textsIn(path: string, text: string): string[] {
  const program: unknown = parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path)
  const statements = nodesOf(partOf(program, 'body')).filter(({ type }) => type !== 'ImportDeclaration')
  return nodesIn(statements).flatMap(({ type, value }) => {
    if (type === 'TemplateElement') return [String(Object(value)['cooked'])]
    return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? [value] : []
  })
}

function importOf(node: Node, importer: string, lineOf: LineOf): Import[] {
  const { type, source } = node
  if (!/^(Import|Export|TSImportType)/.test(type) || !isNode(source) || typeof source['value'] !== 'string') return []
  const specifier = source['value']
  const ours = specifier.startsWith('.')
  const path = ours ? posix.join(posix.dirname(importer), specifier) : undefined
  return [{ specifier, line: lineOf(node), path, forwards: type.startsWith('Export') }]
}

/** What a node uses that a rule may speak of. */
function namesOf(node: Node): string[] {
  switch (node.type) {
    case 'MemberExpression':
      return [`${nameOf(node['object'])}.${nameOf(node['property'])}`]
    case 'NewExpression':
      return nodesOf(node['arguments']).length === 0 ? [`new ${nameOf(node['callee'])}()`] : []
    case 'CallExpression':
      return nodesOf(node['arguments']).length === 0 ? [`${nameOf(node['callee'])}()`] : []
    case 'VariableDeclarator': // const { env } = process
      return nodesOf(partOf(node['id'], 'properties')).map((part) => `${nameOf(node['init'])}.${nameOf(part['key'])}`)
    case 'ImportSpecifier':
      return [nameOf(node['imported'])]
    case 'TSAnyKeyword':
      return ['any']
    case 'TSNonNullExpression':
      return ['!']
    default:
      return []
  }
}

function kindOf(statement: Node): string {
  const [constant] = nodesOf(partOf(statement['declaration'], 'declarations'))
  return constant ? `export ${nameOf(constant['id'])}` : statement.type
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  return String(node['name'] ?? node['value'] ?? '')
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

const partOf = (value: unknown, part: string) => (isNode(value) ? value[part] : undefined)

const nodesOf = (value: unknown): Node[] => (Array.isArray(value) ? value : [value]).filter(isNode)

/** All of them, whoever contains others before those. */
function nodesIn(value: unknown, found: Node[] = []): Node[] {
  if (Array.isArray(value)) for (const each of value) nodesIn(each, found)
  else if (isNode(value)) {
    found.push(value)
    for (const part in value) if (typeof value[part] === 'object') nodesIn(value[part], found)
  }
  return found
}
