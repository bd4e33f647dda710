import { chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { makeWithOwnerOf } from './private-files.ts'

const NOBODY = 65534

it.runIf(process.getuid?.() === 0)(
  'what root makes belongs to the owner of the folder, if there is nothing else',
  () => {
    const folder = temporaryFolder()
    chownSync(folder, NOBODY, NOBODY)
    const path = join(folder, 'portal.lock')
    makeWithOwnerOf(join(folder, 'portal.db'), path)
    expect(statSync(path)).toMatchObject({ uid: NOBODY, gid: NOBODY })
  },
)
