// Lighthouse as a separate process: for each message it loads a page in the browser at this port, once, with an empty
// cache. Its defaults are a phone: slow 4G and a quarter of the CPU, both simulated from an unhindered load.
import { writeFileSync } from 'node:fs'
import lighthouse from 'lighthouse'

process.on('disconnect', () => process.exit())
process.on('message', async (asked) => {
  process.send?.(await audit(asked).catch((error) => ({ error: String(error) })))
})

async function audit({ url, port, cookie, report }) {
  const { lhr, report: html } = await lighthouse(url, {
    port,
    output: 'html',
    logLevel: 'error',
    onlyCategories: ['performance'],
    ...(cookie ? { extraHeaders: { Cookie: cookie } } : {}),
  })
  const { audits, categories, finalDisplayedUrl, runtimeError } = lhr
  if (runtimeError) return { error: `${url}: ${runtimeError.message}` }
  if (finalDisplayedUrl !== url) return { error: `${url} leads to ${finalDisplayedUrl}` }
  writeFileSync(report, html)
  return {
    answer: {
      score: categories.performance.score * 100,
      layoutShift: audits['cumulative-layout-shift'].numericValue,
      scripts: audits['network-requests'].details.items.filter(({ resourceType }) => resourceType === 'Script').length,
      firstPaintMs: audits['first-contentful-paint'].numericValue,
      largestPaintMs: audits['largest-contentful-paint'].numericValue,
      blockedMs: audits['total-blocking-time'].numericValue,
    },
  }
}
