import { expect, it } from 'vitest'
import { slugOf } from './slug.ts'

it('spells a name in plain letters', () => {
  const slugs = ['Acme Edge', '  Ünïcode & Söhne ', '東京', '--a--', 'x'.repeat(80)].map(slugOf)
  expect(slugs).toEqual(['acme-edge', 'unicode-sohne', 'organization', 'a', 'x'.repeat(40)])
})
