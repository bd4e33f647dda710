import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import type { Plugin } from 'vite'
import { readable, theme } from '../ui/theme.ts'

const ID = 'virtual:theme.css'

/**
 * The theme as a stylesheet, computed once at build time: a page has its colours before any script runs, and no code to
 * compute them.
 */
export const themeStyles = (): Plugin => ({
  name: 'theme-styles',
  resolveId: { filter: { id: new RegExp(`^${ID}$`) }, handler: () => `\0${ID}` },
  load: { filter: { id: new RegExp(`${ID}$`) }, handler: () => styles() },
})

function styles(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme)
  const [usual, ours, defaults] = [
    defaultCssVariablesResolver(merged),
    readable(merged),
    defaultCssVariablesResolver(DEFAULT_THEME),
  ]
  const variables = (part: 'variables' | 'light' | 'dark') =>
    Object.fromEntries(
      Object.entries({ ...usual[part], ...ours[part] }).filter(
        ([name, value]) => new Map(Object.entries(defaults[part])).get(name) !== value,
      ),
    )
  const css = convertCssVariables({
    variables: variables('variables'),
    light: variables('light'),
    dark: variables('dark'),
  })
  return (
    css +
    Object.entries(merged.breakpoints)
      .map(([name, from]) => visibility(name, from))
      .join('')
  )
}

/** The classes behind `visibleFrom` and `hiddenFrom`. */
function visibility(name: string, from: string): string {
  return `@media (width < ${from}) { .mantine-visible-from-${name} { display: none !important } }
@media (width >= ${from}) { .mantine-hidden-from-${name} { display: none !important } }
`
}
