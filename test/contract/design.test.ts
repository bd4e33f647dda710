import { globSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const TOKENS = 'web/ui/tokens.css'

/** Where a colour or a size may stand outside of the tokens, with the reason. */
const ALLOWED: Record<string, string> = {
  [TOKENS]: 'has them all',
  'web/ui/UsageChart.tsx': 'numbers of an SVG in its own units',
  'web/ui/UsageHistory.tsx': 'numbers of an SVG in its own units',
  'web/pages/api-keys/use-usage-charts.tsx': 'numbers of an SVG in its own units',
}

const COLOUR =
  /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\(|(?<=[:\s])(?:black|white|red|gray|grey)(?=[;\s])/i
const SIZE = /(?<![\w-])-?\d*\.?\d+(?:px|rem|pt)\b/
const MANTINE = /--mantine-(?:color|spacing|font|radius|shadow|primary)/
/** A colour of Mantine's, or one of its shades: `red`, `red.6`. */
const NAMED =
  /\b(?:c|color|bg|bd)(?:=\{?|: )["'](?:dark|gray|red|pink|grape|violet|indigo|blue|cyan|teal|green|lime|yellow|orange)\b/
const NUMBER =
  /\b(?:size|fz|p|p[xytblr]|m|m[xytblr]|gap|rowGap|columnGap|w|h|maw|miw|mih|mah|width|height|radius)=\{-?(?!0\})\d/

/** Media and container queries take no custom properties. */
const withoutQueries = (css: string) => css.replace(/@(?:media|container)[^{]*/g, '').replace(/\/\*.*?\*\//gs, '')

const inCss = (text: string) => [COLOUR, SIZE, MANTINE].map((rule) => rule.exec(withoutQueries(text))?.[0])
const inScript = (text: string) => {
  const code = text.replace(/\/\/.*|\/\*.*?\*\//gs, '')
  return [NAMED, NUMBER, MANTINE].map((rule) => rule.exec(code)?.[0])
}

const found = (path: string, text: string) =>
  (path.endsWith('.css') ? inCss(text) : inScript(text)).filter((each) => each !== undefined)

const files = globSync('web/**/*.{css,ts,tsx}').filter((path) => !/^web\/(dist|node_modules)\//.test(path))
const theme = 'web/ui/theme.ts' // gives Mantine's variables the values of ours

describe('how the portal looks is in web/ui/tokens.css, and in no other file', () => {
  it.for(files.filter((path) => path !== theme && !(path in ALLOWED)))('%s', (path) => {
    expect(found(path, readFileSync(path, 'utf8'))).toEqual([])
  })

  it.for([
    ['a.css', 'a { color: #fff }'],
    ['a.css', 'a { background: rgb(0 0 0) }'],
    ['a.css', 'a { color: white; }'],
    ['a.css', 'a { margin: 0.5rem }'],
    ['a.css', 'a { border: 1px solid }'],
    ['a.css', 'a { color: var(--mantine-color-red-6) }'],
    ['a.tsx', '<Text c="red.6" />'],
    ['a.tsx', '<Alert color="yellow" />'],
    ['a.tsx', '<Box maw={760} />'],
  ] as const)('%s with %s would be found', ([path, text]) => {
    expect(found(path, text)).not.toEqual([])
  })

  it('every token that a file uses is there, and every token is used', () => {
    const text = readFileSync(TOKENS, 'utf8')
    const defined = new Set([...text.matchAll(/^ +(--[\w-]+):/gm)].map(([, name]) => name))
    const own =
      /(--(?:text|space|radius|width|height|line|page|raised|subtle|accent|danger|warning|success|neutral|explorer|motion|font|icon|dot|control|row|header|stroke|hairline|shadow|backdrop|on-solid|margin)[\w-]*)/g
    const used = new Set(
      [...files, 'web/index.html'].flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name),
      ),
    )
    const named = readFileSync(theme, 'utf8')
    expect([...used].filter((name = '') => own.test(name) && !defined.has(name) && !/--[\w-]*\$/.test(name))).toEqual(
      [],
    )
    const unused = [...defined].filter(
      (name = '') => !used.has(name) && !named.includes(name.replace(/^--/, "'")) && !MEANING.test(name),
    )
    expect(unused).toEqual([])
  })
})

/** What theme.ts puts together from a meaning. */
const MEANING = /^--(accent|danger|warning|success|neutral)(-hover|-text|-tint)?$/

/** The words of each scheme, and what is behind them. */
const schemes = { light: /^:root \{(.*?)^\}/gms, dark: /^:root\[data-mantine-color-scheme="dark"\] \{(.*?)^\}/gms }

function colours(scheme: keyof typeof schemes): Record<string, string> {
  const blocks = [...readFileSync(TOKENS, 'utf8').matchAll(schemes[scheme])].map(([, block = '']) => block).join('')
  return Object.fromEntries(
    [...blocks.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
  )
}

function luminance(colour = ''): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one?: string, other?: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.for(['light', 'dark'] as const)('words can be read, at least 4.5 to 1: the %s scheme', (scheme) => {
  const of = colours(scheme)
  const meanings = ['accent', 'danger', 'warning', 'success', 'neutral']
  const pairs = [
    ...['text', 'text-quiet', 'text-faint', ...meanings.map((name) => `${name}-text`)].flatMap((words) =>
      ['page', 'raised', 'subtle', 'neutral-tint'].map((behind) => [words, behind] as const),
    ),
    ...meanings.flatMap((name) => [
      [`${name}-text`, `${name}-tint`] as const,
      ['text', `${name}-tint`] as const,
      ['on-solid', name] as const,
      ['on-solid', `${name}-hover`] as const,
    ]),
  ]

  it.for(pairs)('%s on %s', ([words, behind]) => {
    expect(of[words]).toBeDefined()
    expect(of[behind]).toBeDefined()
    expect(contrast(of[words], of[behind])).toBeGreaterThanOrEqual(4.5)
  })
})

describe('docs/design.md', () => {
  const document = readFileSync('docs/design.md', 'utf8')
  const rows = (pattern: RegExp) => [...document.matchAll(pattern)].map(([, ...cells]) => cells)

  it('has every colour with its values, and no other', () => {
    const [light, dark] = [colours('light'), colours('dark')]
    expect(rows(/^\| `--([\w-]+)` \| `(#\w+)` \| `(#\w+)` \|/gm)).toEqual(
      Object.entries(light).map(([name, value]) => [name, value, dark[name]]),
    )
  })

  it('has every size of text and shapes with its number, and no other', () => {
    const sizes = [...readFileSync(TOKENS, 'utf8').matchAll(/^ {2}--([\w-]+): ([\d.]+)(rem|px);/gm)]
    const [spaces, others] = [/^space-/, /^(text|radius|hairline|stroke|icon|dot|control|row|header)/].map((names) =>
      sizes.filter(([, name = '']) => names.test(name)).map(([, name, value, unit]) => [name, pixels(value, unit)]),
    )
    expect(rows(/^\| `--([\w-]+)` \| ([\d.]+ px) \|/gm)).toEqual(others)
    const steps = (spaces ?? []).map(([, size]) => size)
    expect(document).toContain(` are ${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}.`)
    for (const step of steps) expect(Number.parseInt(step ?? '', 10) % 4).toBe(0)
  })

  it('says how fast what moves is, and how large the fonts are', () => {
    const [, motion] = /--motion: (\d+)ms/.exec(readFileSync(TOKENS, 'utf8')) ?? []
    expect(document).toContain(`\`--motion\`, ${motion} ms`)
    const fonts = [...readFileSync('web/ui/fonts.css', 'utf8').matchAll(/url\("([^"]+)"\)/g)]
    const bytes = fonts.reduce((sum, [, path]) => sum + statSync(`node_modules/${path}`).size, 0)
    expect(document).toContain(`${Math.floor(bytes / 1000)} KB together`)
    expect(bytes).toBeLessThanOrEqual(80_000)
  })
})

const pixels = (value = '', unit = '') => `${Number(value) * (unit === 'rem' ? 16 : 1)} px`
