import {
  defaultVariantColorsResolver,
  DEFAULT_THEME as MANTINES,
  parseThemeColor as parsedByMantine,
} from '@mantine/core'
import { describe, expect, it } from 'vitest'
import { parseThemeColor, variantColors } from './colors.ts'
import { DEFAULT_THEME as OURS } from './default-theme.ts'

const COLORS = Object.keys(MANTINES.colors)
const VARIANTS = ['filled', 'light', 'subtle', 'outline', 'transparent', 'default']

describe("what takes the place of Mantine's theme while a page runs", () => {
  it.for(['colors', 'fontSizes', 'lineHeights', 'radius', 'spacing', 'shadows'] as const)('has the same %s', (part) => {
    expect(Object.keys(OURS[part]).sort()).toEqual(Object.keys(MANTINES[part]).sort())
  })

  it('has the same widths and class names', () => {
    const { breakpoints, activeClassName, focusRing } = MANTINES
    expect(OURS).toMatchObject({ breakpoints, activeClassName, focusRing })
  })

  it.for(VARIANTS)('colours a component in the same way: %s', (variant) => {
    for (const color of COLORS) {
      const theirs = defaultVariantColorsResolver({ color, variant, theme: MANTINES })
      expect(variantColors({ color, variant, theme: OURS })).toEqual(theirs)
    }
  })

  it('knows which variable a colour has', () => {
    const single = ['dimmed', 'bright', 'white', 'black', 'inherit', '#123456', 'var(--mantine-color-text)']
    for (const color of [...single, ...COLORS, ...COLORS.map((name) => `${name}.9`)]) {
      const { shade, isThemeColor, variable, ...theirs } = parsedByMantine({ color, theme: MANTINES })
      expect(parseThemeColor({ color, theme: OURS })).toMatchObject({
        color: theirs.color,
        shade,
        isThemeColor,
        variable,
      })
    }
  })
})
