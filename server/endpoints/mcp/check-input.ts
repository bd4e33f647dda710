import { badInput } from '../../lib/check.ts'
import { isObject } from '../../lib/is-object.ts'

/** The part of JSON Schema in which the input of the tools is described. */
export interface InputSchema {
  type: 'object'
  properties: Readonly<Record<string, Property>>
  required: readonly string[]
  additionalProperties: false
}

type Property = { description: string } & (
  | { type: 'string'; minLength?: number; maxLength?: number }
  | { type: 'integer'; minimum: number; maximum: number }
  | { type: 'boolean' }
  | { type: 'object'; additionalProperties: true }
)

/** The input of a tool, if it fits its schema; throws the first thing that does not, without repeating it. */
export function checkInput<Input>({ properties, required }: InputSchema, input: unknown = {}): Input {
  if (!isObject(input)) throw badInput('arguments', 'arguments: an object.')
  const isUnknown = Object.keys(input).some((name) => !Object.hasOwn(properties, name))
  if (isUnknown) throw badInput('arguments', `arguments: only ${Object.keys(properties).join(', ')}.`)
  for (const [name, property] of Object.entries(properties)) {
    const value = input[name]
    if (value === undefined && !required.includes(name)) continue
    if (!fits(property, value)) throw badInput(name, `${name}: ${inWords(property)}.`)
  }
  return input as Input // has been compared with the schema, which says the same
}

function fits(property: Property, value: unknown): boolean {
  switch (property.type) {
    case 'string': {
      const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = property
      return typeof value === 'string' && value.length >= minLength && value.length <= maxLength
    }
    case 'integer':
      return Number.isInteger(value) && Number(value) >= property.minimum && Number(value) <= property.maximum
    case 'boolean':
      return typeof value === 'boolean'
    case 'object':
      return isObject(value)
  }
}

function inWords(property: Property): string {
  switch (property.type) {
    case 'string':
      return `a text${property.minLength ? ', not empty' : ''}${property.maxLength ? `, at most ${property.maxLength} characters` : ''}`
    case 'integer':
      return `a whole number from ${property.minimum} to ${property.maximum}`
    case 'boolean':
      return 'true or false'
    case 'object':
      return 'an object'
  }
}
