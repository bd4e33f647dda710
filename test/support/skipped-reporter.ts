import type { Reporter, TestModule } from 'vitest/node'

/** Says at the end of a run, in a line each, which tests were skipped; their names say why. */
export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        if (test.options.mode !== 'skip') continue // left out by a filter on the command line
        const name = test.parent.type === 'suite' ? test.parent.name : test.name
        const place = `${module.relativeModuleId}: ${name}`
        counts.set(place, (counts.get(place) ?? 0) + 1)
      }
    }
    for (const [place, count] of counts) process.stdout.write(`Skipped, ${count} × ${place}\n`)
  }
}
