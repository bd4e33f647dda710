import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWeb } from '../../../scripts/build-web.js'
import { findWeb } from '../../../server/http/web.ts'

/** The web interface as it is now, built when it is missing or old; a copy, so that the next build takes nothing away from a running test. */
export async function builtWeb(): Promise<{ webDir: string; remove(): void }> {
  await buildWeb()
  const webDir = mkdtempSync(join(tmpdir(), 'portal-web-'))
  cpSync(findWeb() ?? '', webDir, { recursive: true })
  return { webDir, remove: () => rmSync(webDir, { recursive: true, force: true }) }
}
