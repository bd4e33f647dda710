import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'

const ID = 'virtual:mantine.css'
const MANTINE = join(import.meta.dirname, '..', '..', 'node_modules', '@mantine', 'core')

/** The parts of Mantine's stylesheet that some page needs, half of the whole. The build fails when one is missing. */
const NEEDED = new Set(
  `baseline default-css-variables global Alert Anchor Badge Button Center Checkbox CheckboxCard CheckboxIndicator
   CloseButton Code Combobox Container Fieldset FloatingIndicator Group InlineInput Input List Loader Menu Modal
   ModalBase Notification Overlay Paper Pill PillsInput Popover Progress Radio RadioCard RadioIndicator ScrollArea
   SegmentedControl SimpleGrid Skeleton Stack Switch Table Text Title UnstyledButton VisuallyHidden`.split(/\s+/),
)

interface Part {
  name: string
  css: string
}

/** Mantine's stylesheet with what the pages use, in Mantine's order. */
export const mantineStyles = (): Plugin => ({
  name: 'mantine-styles',
  resolveId: { filter: { id: new RegExp(`^${ID}$`) }, handler: () => `\0${ID}` },
  load: {
    filter: { id: new RegExp(`${ID}$`) },
    handler: () =>
      allParts()
        .filter(({ name }) => NEEDED.has(name))
        .map(({ css }) => css)
        .join('\n'),
  },
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
    const used = new Set(chunks.flatMap(({ code }) => classesIn(code)))
    for (const { name, css } of allParts()) {
      const classes = classesIn(css)
      const isNeeded = classes.length === 0 ? NEEDED.has(name) : classes.some((one) => used.has(one))
      if (isNeeded && !NEEDED.has(name)) this.error(`A page uses ${name}: add it to web/build/mantine-styles.ts.`)
      if (!isNeeded && NEEDED.has(name)) this.warn(`No page uses ${name}: remove it from web/build/mantine-styles.ts.`)
    }
  },
})

/** One part after the other, as in the whole stylesheet: a later one may overrule an earlier one. */
function allParts(): Part[] {
  const whole = readFileSync(join(MANTINE, 'styles.css'), 'utf8')
  const paths = globSync(join(MANTINE, 'styles', '*.css')).filter((path) => !path.endsWith('.layer.css'))
  return paths
    .map((path) => ({ name: basename(path, '.css'), css: readFileSync(path, 'utf8').trim() }))
    .map((part) => ({ ...part, at: whole.indexOf(part.css) }))
    .toSorted((a, b) => a.at - b.at)
}

const classesIn = (text: string): string[] => text.match(/\bm_[0-9a-f]{5,8}\b/g) ?? []
