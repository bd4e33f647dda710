import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** What pops up belongs to the page, for those who go from landmark to landmark. */
const insideMain = { target: '#main' }

/** One place for how things look: quiet colours, tight rows, the reader's own font. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  respectReducedMotion: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '600' },
  components: {
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Popover: { defaultProps: { portalProps: insideMain } },
  },
})

/** Darker, not paler, so that white words on them stay readable. */
const underPointer = { '--mantine-color-cyan-filled-hover': '#095c6b', '--mantine-color-red-filled-hover': '#a61e1e' }

/** Quiet words that can still be read: at least 4.5 to 1 on what is behind them. */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...underPointer,
    '--mantine-color-dimmed': '#5b636b',
    '--mantine-color-placeholder': '#6b737b',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    ...underPointer,
    '--mantine-color-dimmed': '#a6a6a6',
    '--mantine-color-placeholder': '#969696',
    '--mantine-color-error': '#ff8787',
  },
})
