import { webState } from './build-web.js'
import { isInstalled } from './setup.js'

/**
 * Exits with one sentence if the checkout is not ready to run: a command never installs or builds anything by itself,
 * since a server may be running from the same files.
 * @param {{ serves: boolean }} command
 */
export function requireReady({ serves }) {
  if (!isInstalled({ tests: false })) {
    end(
      'Dependencies are missing or older than package-lock.json: run npm run build, which installs them, then try again.',
    )
  }
  if (!serves) return
  const state = webState()
  if (state === 'missing') end('The web interface is not built: run npm run build, then try again.')
  if (state === 'old') say('The web interface is older than its sources: npm run build renews it.')
}

/** @param {string} sentence */
function end(sentence) {
  say(sentence)
  process.exit(1)
}

/** @param {string} sentence */
const say = (sentence) => process.stderr.write(`${sentence}\n`)
