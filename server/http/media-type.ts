export const JSON_TYPE = 'application/json; charset=utf-8'
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'

export const JSON_NAME = 'application/json'
const GRAPHQL_NAME = 'application/graphql-response+json'

type TypeName = typeof JSON_NAME | typeof GRAPHQL_NAME

/** What nearly every client sends: for these, nothing is parsed. */
const USUAL = new Map<string | undefined, TypeName>([
  [undefined, JSON_NAME],
  ['', JSON_NAME],
  ['*/*', JSON_NAME],
  [JSON_NAME, JSON_NAME],
  [`${GRAPHQL_NAME}, ${JSON_NAME}`, GRAPHQL_NAME],
  [`${GRAPHQL_NAME},${JSON_NAME};q=0.9`, GRAPHQL_NAME],
])

/** What comes after them is not read: no client sends as many, and each takes its time. */
const MAX_RANGES = 20

const WILDCARDS = ['application/*', '*/*']

/** Undefined: none is accepted. Clients that ask for GraphQL's own type read the errors of a refusal only if it has that type. */
export function acceptedType(accept: string | undefined): TypeName | undefined {
  return USUAL.get(accept) ?? negotiated(accept ?? '')
}

/** The content-type header of a refusal, which every client gets. */
export const graphqlType = (accept: string | undefined): string =>
  acceptedType(accept) === GRAPHQL_NAME ? GRAPHQL_TYPE : JSON_TYPE

interface Range {
  name: string
  weight: number
  isUtf8: boolean
}

/** The type with the highest weight, and of those with the same the one that is named first. A wildcard means JSON, unless JSON is refused. */
function negotiated(accept: string): TypeName | undefined {
  const ranges = accept.toLowerCase().split(',', MAX_RANGES).map(toRange)
  const json = offer(ranges, JSON_NAME, WILDCARDS)
  const graphql = offer(ranges, GRAPHQL_NAME, json ? [] : WILDCARDS)
  if (!json || !graphql) return (json ?? graphql)?.type
  const isGraphqlWanted = graphql.weight > json.weight || (graphql.weight === json.weight && graphql.at < json.at)
  return isGraphqlWanted ? GRAPHQL_NAME : JSON_NAME
}

/** The most specific range that includes the type decides, also against it: `application/json;q=0`. */
function offer(ranges: Range[], type: TypeName, wildcards: string[]) {
  for (const wanted of [type, ...wildcards]) {
    const at = ranges.findIndex(({ name, isUtf8 }) => name === wanted && isUtf8)
    const weight = ranges[at]?.weight
    if (weight !== undefined) return weight > 0 ? { type, weight, at } : undefined
  }
  return undefined
}

function toRange(text: string): Range {
  const [name = '', ...parameters] = text.replace(/\s/g, '').split(';', MAX_RANGES)
  const given = new Map(parameters.map((each) => [each.split('=')[0], each.split('=')[1]]))
  const charset = given.get('charset')?.replaceAll('"', '') ?? 'utf-8'
  const weight = given.get('q') ?? '1'
  return { name, weight: Number(weight) || 0, isUtf8: charset === 'utf-8' || charset === 'utf8' }
}
