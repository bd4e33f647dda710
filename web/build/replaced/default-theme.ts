import type { MantineTheme } from '@mantine/core'
import { variantColors } from './colors.ts'

const namesOf = (names: string, value: unknown = '') =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]))

const SIZES = namesOf('xs sm md lg xl')

/**
 * What Mantine's components look up while they run: which names there are. The values are in the stylesheet (see
 * theme-styles.ts), but for the widths at which a layout changes.
 */
export const DEFAULT_THEME = {
  focusRing: 'auto',
  colors: namesOf('dark gray red pink grape violet indigo blue cyan green lime yellow orange teal', []),
  primaryColor: 'blue',
  variantColorResolver: variantColors,
  activeClassName: 'mantine-active',
  headings: {},
  fontSizes: SIZES,
  lineHeights: SIZES,
  radius: SIZES,
  spacing: SIZES,
  shadows: SIZES,
  breakpoints: { xs: '36em', sm: '48em', md: '62em', lg: '75em', xl: '88em' },
  other: {},
  components: {},
} as unknown as MantineTheme // as much of it as is read
