import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'

/** A part of the schema that is deprecated, by the name that the changelog uses: `Device.name`, `Query.devices.first`. */
export interface Deprecation {
  name: string
  reason: string
  /** It is there up to and including this day; undefined when the reason names none. */
  removedAfter: string | undefined
}

const REMOVED_AFTER = /\bRemoved after (\d{4}-\d{2}-\d{2})\.$/

export function deprecationsIn(schema: GraphQLSchema): Deprecation[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(partsOf)
    .flatMap(({ name, deprecationReason: reason }) =>
      reason == null ? [] : [{ name, reason, removedAfter: dayIn(reason) }],
    )
}

interface Part {
  name: string
  deprecationReason?: string | null | undefined
}

function partsOf(type: GraphQLNamedType): Part[] {
  if (isEnumType(type)) return type.getValues().map((value) => within(type, value))
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => within(type, field))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    within(type, field),
    ...field.args.map((argument) => within({ name: `${type.name}.${field.name}` }, argument)),
  ])
}

const within = (outer: { name: string }, { name, deprecationReason }: Part): Part => ({
  name: `${outer.name}.${name}`,
  deprecationReason,
})

/** The day in the reason, if it is one of the calendar. */
function dayIn(reason: string): string | undefined {
  const day = REMOVED_AFTER.exec(reason)?.[1]
  if (day === undefined || Number.isNaN(Date.parse(day))) return undefined
  return new Date(day).toISOString().startsWith(day) ? day : undefined
}
