import { readFileSync } from 'node:fs'
import { parseAst } from 'vite'

interface Node {
  type: string
  [part: string]: unknown
}

/** What an object in the source says of a route. */
interface Part {
  path?: string
  parent?: string
}

/** The whole path of every route with a page, as web/routes.tsx declares them. */
export function pathsOfWebRoutes(file = 'web/routes.tsx'): string[] {
  const program = parseAst(readFileSync(file, 'utf8'), { lang: 'tsx' }, file)
  const constants = new Map(declaredIn(program as unknown as Node)) // the two types of a node differ
  const partOf = (name: string): Part => partIn(constants.get(name))

  function partIn(value: unknown): Part {
    const node = plain(value)
    if (node?.type === 'CallExpression') return partIn(listIn(node, 'arguments')[0])
    if (node?.type !== 'ObjectExpression') return {}
    return Object.assign({}, ...listIn(node, 'properties').map(propertyIn))
  }

  function propertyIn(property: Node): Part {
    if (property.type === 'SpreadElement') return partOf(nameIn(property['argument']))
    const value = plain(property['value'])
    switch (nameIn(property['key'])) {
      case 'path':
        return { path: String(value?.['value']) }
      case 'getParentRoute':
        return { parent: nameIn(value?.['body']) }
      default:
        return {}
    }
  }

  const wholePath = (name: string): string => {
    const { path = '', parent } = partOf(name)
    return (parent === undefined ? '' : wholePath(parent)) + path
  }

  const routes = [...constants].filter(([, value]) => nameIn(plain(value)?.['callee']) === 'createRoute')
  return routes
    .map(([name]) => name)
    .filter((name) => partOf(name).path !== undefined)
    .map(wholePath)
}

function declaredIn(program: Node): [name: string, value: unknown][] {
  return listIn(program, 'body')
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap((node) => listIn(node, 'declarations'))
    .map((node) => [nameIn(node['id']), node['init']])
}

/** Without `as const`. */
function plain(value: unknown): Node | undefined {
  const node = isNode(value) ? value : undefined
  return node?.type === 'TSAsExpression' ? plain(node['expression']) : node
}

const nameIn = (value: unknown): string => (isNode(value) ? String(value['name']) : '')
const listIn = (node: Node, part: string): Node[] => (Array.isArray(node[part]) ? node[part].filter(isNode) : [])
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
