import { FIELDS, type Field, isReadOnly } from './device-fields.ts'
import { createJsonReader, type JsonItem } from './json-reader.ts'
import type { RawDevice, Reader } from './reader.ts'

const MAX_IGNORED = 50

/** Devices of a JSON file: a list of objects as the API has them. */
export function jsonDevices(): Reader {
  const reader = createJsonReader()
  const ignored: string[] = []
  const ignore = (name: string) => {
    if (!isReadOnly(name) && !ignored.includes(name) && ignored.length < MAX_IGNORED) ignored.push(name)
  }
  const devices = (items: JsonItem[]) => items.map((item) => deviceOfItem(item, ignore))
  return {
    ignored,
    push: (text) => devices(reader.push(text)),
    end: () => devices(reader.end()),
  }
}

function deviceOfItem({ line, value }: JsonItem, ignore: (name: string) => void): RawDevice {
  const values = new Map<Field, unknown>()
  if (!isObject(value)) return { line, values, error: 'This must be an object: { "name": "press-7" }.' }
  for (const [name, part] of Object.entries(value)) {
    if (name === 'location' && part === null) for (const field of PLACES) values.set(field, null)
    else if (name === 'location' && isObject(part)) {
      for (const [inner, one] of Object.entries(part)) put(`location.${inner}`, one)
    } else put(name, part)
  }
  if (!values.has('name')) values.set('name', null)
  return { line, values }

  function put(name: string, part: unknown): void {
    const field = FIELDS.find((known) => known === name)
    if (field) values.set(field, field === 'tags' && part === null ? [] : part)
    else ignore(name)
  }
}

const PLACES = FIELDS.filter((field) => field.startsWith('location.'))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
