import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../support/sources.ts'

export interface Service {
  image: string
  build?: object
  environment?: Record<string, string>
  command?: string[]
  volumes?: string[]
  ports?: string[]
  networks?: string[]
  depends_on?: Record<string, { condition: string }>
  deploy?: { replicas: number }
  healthcheck?: { test: string[] }
  stop_grace_period?: string
  read_only?: boolean
  tmpfs?: string[]
  ulimits?: Record<string, number>
}

export interface ComposeFile {
  name: string
  services: Record<string, Service>
  networks: Record<string, object | null>
  volumes: Record<string, object | null>
}

export const composeText = () => readFileSync(join(ROOT, 'compose.yaml'), 'utf8')

export const readCompose = (text = composeText()): ComposeFile => parse(text)

/** A `${NAME}` with what stands behind it: `:?` and a message, or `:-` and a default. */
const VARIABLE = /\$\{(\w+)(?::(\?|-)([^}]*))?\}/g

/** Every variable that a text wants from outside. */
export const variablesIn = (text: string) =>
  [...text.matchAll(VARIABLE)].map(([, name = '', kind = '', rest = '']) => ({ name, kind, rest }))

/** With every variable replaced as Compose does it. */
export const substitute = (text: string, values: Record<string, string>) =>
  text.replace(VARIABLE, (_all, name: string, kind?: string, rest?: string) => {
    const value = values[name] || (kind === '-' ? (rest ?? '') : '')
    if (!value && kind !== '-') throw new Error(`${name}: ${rest}`)
    return value
  })
