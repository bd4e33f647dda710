import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STYLE } from './style.ts'

const tokens = readFileSync('web/ui/tokens.css', 'utf8')

/** A token in the light scheme, and in the dark one. */
const valuesOf = (name: string) =>
  [...tokens.matchAll(new RegExp(`^  --${name}: (.+);`, 'gm'))].map(([, value]) => value)

describe('the documents look like the web interface', () => {
  it.for([...STYLE.matchAll(/^ {2}--([\w-]+): light-dark\((.+), (.+)\);/gm)])('%s', ([, name = '', light, dark]) => {
    expect([light, dark]).toEqual(valuesOf(name))
  })

  it.for(['font', 'font-mono'])('the typefaces: --%s', (name) => {
    expect(STYLE).toContain(`  --${name}: ${valuesOf(name)[0]};`)
  })
})
