import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../test/support/sources.ts'
import { licensesText } from './licenses.ts'
import { icons, installedPackages, productionPackages, type ShippedPackage } from './shipped-packages.ts'

const silent: ShippedPackage = { name: 'silent', version: '1.0.0', license: 'MIT', text: '', statement: 'by itself' }
const spoken: ShippedPackage = { ...silent, name: 'spoken', text: 'Permission is granted.' }

it('has the text of each licence once, and says of packages without one who names it', () => {
  const text = licensesText([spoken, silent], [{ ...spoken, name: 'bundled' }])
  expect(text.match(/Permission is granted\./g)).toHaveLength(1)
  expect(text).toContain('spoken@1.0.0, bundled@1.0.0\n\nPermission is granted.')
  expect(text).toMatch(
    /without the text of their licence \(1\), and who names it:\n\n {2}silent@1\.0\.0 +MIT, by itself\n/,
  )
})

it('the icons have a licence with their version, although their package is not installed', () => {
  const { version, text } = icons()
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(text).toContain('Copyright (c) 2020-2026 Paweł Kuna')
})

it('every production dependency has a licence, and the text that its package has', () => {
  const packages = installedPackages()
  expect(packages).toHaveLength(Object.keys(productionPackages()).length)
  expect(packages.filter(({ license }) => license === 'unknown')).toEqual([])
  const { text } = packages.find(({ name }) => name === 'fastify') ?? silent
  expect(text).toContain(readFileSync(join(ROOT, 'node_modules/fastify/LICENSE'), 'utf8').trim())
  expect(packages.find(({ name }) => name === 'postgres')).toMatchObject({
    license: 'Unlicense',
    text: '',
    statement: 'by its package.json; the author is Rasmus Porsager <rasmus@porsager.com> (https://www.porsager.com)',
  })
})
