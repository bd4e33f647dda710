import {
  type CSSVariablesResolver,
  colorsTuple,
  createTheme,
  defaultVariantColorsResolver,
  type VariantColorsResolver,
} from '@mantine/core'

/** What pops up belongs to the page, for those who go from landmark to landmark. */
const insideMain = { target: '#main' }

/** The colours that mean something: `color="danger"`. Each has a solid, a tint and words in tokens.css. */
const MEANINGS = ['accent', 'danger', 'warning', 'success', 'neutral'] as const

const token = (name: string) => `var(--${name})`

/** Mantine's own greys, from what lies behind to what is written: for the light scheme, and the other way round for the dark one. */
const GRAY = colorsTuple(
  [
    'subtle',
    'neutral-tint',
    'line',
    'line',
    'line-strong',
    'text-faint',
    'text-quiet',
    'neutral-text',
    'text',
    'text',
  ].map(token),
)
const DARK = colorsTuple(
  [
    'text',
    'neutral-text',
    'text-quiet',
    'text-faint',
    'line-strong',
    'neutral-tint',
    'raised',
    'raised',
    'page',
    'page',
  ].map(token),
)

/** A quiet button beside the one that the page is for. */
const variants: VariantColorsResolver = (input) =>
  input.variant === 'default'
    ? { background: 'var(--neutral-tint)', hover: 'var(--line)', color: 'var(--text)', border: 'none' }
    : defaultVariantColorsResolver(input)

/** Mantine's parts in the portal's own tokens. */
export const theme = createTheme({
  primaryColor: 'accent',
  colors: {
    gray: GRAY,
    dark: DARK,
    ...Object.fromEntries(MEANINGS.map((name) => [name, colorsTuple(token(name))])),
  },
  variantColorResolver: variants,
  respectReducedMotion: true,
  defaultRadius: 'md',
  radius: {
    xs: 'var(--radius)',
    sm: 'var(--radius)',
    md: 'var(--radius)',
    lg: 'var(--radius)',
    xl: 'var(--radius-round)',
  },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: {
    xs: 'var(--text-xs)',
    sm: 'var(--text-sm)',
    md: 'var(--text-md)',
    lg: 'var(--text-lg)',
    xl: 'var(--text-xl)',
  },
  spacing: {
    xs: 'var(--space-2)',
    sm: 'var(--space-3)',
    md: 'var(--space-4)',
    lg: 'var(--space-6)',
    xl: 'var(--space-8)',
  },
  shadows: {
    xs: 'var(--shadow)',
    sm: 'var(--shadow)',
    md: 'var(--shadow)',
    lg: 'var(--shadow)',
    xl: 'var(--shadow)',
  },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: 'var(--text-xl)', lineHeight: '1.3' },
      h2: { fontSize: 'var(--text-xl)', lineHeight: '1.3' },
      h3: { fontSize: 'var(--text-lg)', lineHeight: '1.4' },
      h4: { fontSize: 'var(--text-lg)', lineHeight: '1.4' },
      h5: { fontSize: 'var(--text-md)', lineHeight: '1.5' },
    },
  },
  components: {
    Badge: { defaultProps: { variant: 'light', color: 'neutral', radius: 'md' } },
    ModalBaseOverlay: { defaultProps: { color: 'var(--backdrop)', backgroundOpacity: 1 } },
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, transitionProps: { duration: 0 } } }, // portal.css moves it
    Popover: { defaultProps: { portalProps: insideMain } },
  },
})

const meanings = Object.fromEntries(
  MEANINGS.flatMap((name) => [
    [`--mantine-color-${name}-filled`, `var(--${name})`],
    [`--mantine-color-${name}-filled-hover`, `var(--${name}-hover)`],
    [`--mantine-color-${name}-light`, `var(--${name}-tint)`],
    [`--mantine-color-${name}-light-hover`, `var(--${name}-tint)`],
    [`--mantine-color-${name}-light-color`, `var(--${name}-text)`],
    [`--mantine-color-${name}-outline`, `var(--${name}-text)`],
    [`--mantine-color-${name}-outline-hover`, `var(--${name}-tint)`],
  ]),
)

const variables = {
  ...meanings,
  '--mantine-color-white': 'var(--on-solid)',
  '--mantine-color-black': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-body': 'var(--page)',
  '--mantine-color-dimmed': 'var(--text-quiet)',
  '--mantine-color-placeholder': 'var(--text-faint)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-error': 'var(--danger-text)',
  '--mantine-color-success': 'var(--success-text)',
  '--mantine-color-default': 'var(--page)',
  '--mantine-color-default-hover': 'var(--subtle)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-disabled': 'var(--neutral-tint)',
  '--mantine-color-disabled-color': 'var(--text-faint)',
  '--mantine-color-disabled-border': 'var(--line)',
}

/** Both schemes have the tokens of one name, so that nothing has to know which is shown. */
export const inTokens: CSSVariablesResolver = () => ({ variables: {}, light: variables, dark: variables })
