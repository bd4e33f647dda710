import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ownBrowser } from '../support/browser/own-browser.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { namesOn, PICTURES, visitScenes } from '../support/browser/scenes.ts'

const it = inPortal()

it('the pictures of the README have the names that the pages have now', async ({ world }) => {
  const now: Record<string, string> = {}
  await visitScenes(world, await ownBrowser(), async (page, picture) => {
    now[`${picture}.png`] = ''
    now[`${picture}.txt`] = await namesOn(page)
  })
  const taken = Object.fromEntries(
    readdirSync(PICTURES).map((file) => [
      file,
      file.endsWith('.txt') ? readFileSync(join(PICTURES, file), 'utf8') : '',
    ]),
  )
  expect(now, 'The pictures are older than the pages: run npm run screenshots').toEqual(taken)
})
