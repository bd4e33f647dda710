import type { MantineTheme, VariantColorsResolver } from '@mantine/core'

/** Colours that are no row of shades. */
const SINGLE = ['bright', 'dimmed', 'white', 'black']

/** The variable of a colour of the theme; any other colour as it is. Mantine's own computes with colours, which the stylesheet has. */
export function parseThemeColor({ color, theme }: { color: string; theme: Pick<MantineTheme, 'colors'> }) {
  const [name = '', shade] = SINGLE.includes(color) ? [color] : color.split('.')
  const isThemeColor = name in theme.colors
  const variable = SINGLE.includes(color) ? color : isThemeColor ? `${name}-${shade ?? 'filled'}` : undefined
  return {
    color: isThemeColor ? name : color,
    value: color,
    shade: shade === undefined ? undefined : Number(shade),
    isThemeColor,
    isLight: false, // for black words on light colours, which our theme does not ask for
    variable: variable && `--mantine-color-${variable}`,
  }
}

export const rgba = (color: string, alpha: number) => `color-mix(in srgb, ${color}, transparent ${(1 - alpha) * 100}%)`

/** No component of ours has one. */
export const getGradient = () => 'none'

const CLEAR = 'transparent'
const LINE = 'calc(0.0625rem * var(--mantine-scale)) solid'

/** Of a component in a colour of the theme, in the variants that our pages use. */
export const variantColors: VariantColorsResolver = ({ color, variant }) => {
  const of = (part: string) => `var(--mantine-color-${color}-${part})`
  const [background, hover, words, line = CLEAR] =
    {
      filled: [of('filled'), of('filled-hover'), 'var(--mantine-color-white)'],
      light: [of('light'), of('light-hover'), of('light-color')],
      subtle: [CLEAR, of('light-hover'), of('light-color')],
      outline: [CLEAR, of('outline-hover'), of('outline'), of('outline')],
      transparent: [CLEAR, CLEAR, of('light-color')],
    }[variant] ?? ['', '-hover', '-color', '-border'].map((part) => `var(--mantine-color-default${part})`)
  return { background: `${background}`, hover: `${hover}`, color: `${words}`, border: `${LINE} ${line}` }
}
