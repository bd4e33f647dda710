import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { parseAst } from 'vite'

interface Node {
  type: string
  start: number
  end: number
  [part: string]: unknown
}

/**
 * A file without its types, with unchanged line numbers, and the project's files that it imports, as paths from the
 * root.
 */
export function toJavaScript(path: string, source: string): { code: string; imports: string[] } {
  const stripped = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  const nodes = [...nodesIn(parseAst(stripped, { lang: 'js' }, path))]
  const specifiers = nodes.flatMap((node) => specifierOf(node, path))
  const ours = specifiers.filter(({ value }) => value.startsWith('.')).sort((a, b) => a.start - b.start)
  refuseOtherPaths(path, nodes, ours)
  return {
    code: ours.reduceRight((code, { start, end, value }) => {
      return `${code.slice(0, start)}'${value.replace(/\.ts$/, '.js')}'${code.slice(end)}`
    }, stripped),
    imports: ours.map(({ value }) => posix.join(posix.dirname(path), value)),
  }
}

interface Specifier {
  value: string
  start: number
  end: number
}

/**
 * The module that an `import`, an `export … from`, an `import()` or the `new URL(…, import.meta.url)` of a worker
 * names.
 */
function specifierOf(node: Node, path: string): Specifier[] {
  const { type, source } = node
  if (type === 'NewExpression') return workerIn(node)
  if (!/^(Import|Export)/.test(type) || !isNode(source)) return []
  const { value, start, end } = source
  if (typeof value !== 'string') throw new Error(`${path} imports what is known only when it runs.`)
  return [{ value, start, end }]
}

function workerIn({ callee, arguments: values }: Node): Specifier[] {
  const [file, base] = Array.isArray(values) ? values : []
  if (!isNode(callee) || callee['name'] !== 'URL' || !isNode(file) || !isNode(base)) return []
  const { object } = base
  const { value, start, end } = file
  const isOurs = isNode(object) && object.type === 'MetaProperty' && typeof value === 'string' && value.endsWith('.ts')
  return isOurs ? [{ value, start, end }] : []
}

/** A path in any other place would name a file that is missing from the package. */
function refuseOtherPaths(path: string, nodes: Node[], known: Specifier[]): void {
  const places = new Set(known.map(({ start }) => start))
  for (const { type, value, start } of nodes) {
    if (type === 'Literal' && typeof value === 'string' && /^[\w./-]+\.ts$/.test(value) && !places.has(start)) {
      throw new Error(`${path} names ${value} outside of an import: the package has no such file.`)
    }
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item)
  if (!isNode(value)) return
  yield value
  for (const part of Object.values(value)) yield* nodesIn(part)
}
