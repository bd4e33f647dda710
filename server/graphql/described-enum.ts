import { builder } from './builder.ts'

/** An enum whose values are described one by one. */
export function describedEnum<Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
) {
  const described = Object.entries<string>(values).map(([value, description]) => [value, { description }])
  return builder.enumType(name, { description, values: Object.fromEntries(described) as Record<Value, object> }) // by its keys
}
