import { posix, win32 } from 'node:path'

export interface Platform {
  platform: NodeJS.Platform
  env: Record<string, string | undefined>
}

const COMMANDS = [
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
]

const ON_LINUX = [
  '/opt/google/chrome/chrome',
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/snap/bin/chromium',
  '/opt/microsoft/msedge/msedge',
]

const ON_MACOS = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((app) => `${app}.app/Contents/MacOS/${app}`)

const ON_WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

/**
 * The paths where Chrome, Chromium or Edge may be on such a machine, the likeliest first: on the PATH, then in the
 * usual folders.
 */
export function installedBrowsers({ platform, env }: Platform): string[] {
  if (platform === 'win32') {
    const folders = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']]
    return folders.flatMap((folder) => (folder ? ON_WINDOWS.map((path) => win32.join(folder, path)) : []))
  }
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => posix.join(folder, command)))
  return [...new Set([...onPath, ...(platform === 'darwin' ? inApplications(env['HOME']) : ON_LINUX)])]
}

const inApplications = (home = '') =>
  ['/Applications', ...(home && [posix.join(home, 'Applications')])].flatMap((folder) =>
    ON_MACOS.map((path) => posix.join(folder, path)),
  )
