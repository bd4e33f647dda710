import type { Page } from 'playwright-core'

/** By the place of an element, its computed values. */
export type Styles = Record<string, Record<string, string>>

/** What a stylesheet decides, and not how much room or time there happened to be: a transform moves by the width of words. */
const PROPERTIES = [
  'display position z-index float opacity visibility cursor pointer-events',
  'margin-top margin-bottom padding-top padding-right padding-bottom padding-left min-width max-width min-height max-height',
  'border-top-width border-right-width border-bottom-width border-left-width border-top-style border-bottom-style',
  'border-top-color border-bottom-color border-top-left-radius color background-color background-image box-shadow fill',
  'font-family font-size font-weight font-style line-height letter-spacing text-align text-transform text-overflow',
  'text-decoration-line white-space word-break overflow-wrap overflow-x overflow-y list-style-type vertical-align',
  'flex-direction flex-wrap flex-grow flex-shrink flex-basis align-items align-self justify-content row-gap column-gap',
].flatMap((names) => names.split(' '))

/**
 * An element by its place and its tag; what is inside of a drawing or an editor is not ours. It is a text because
 * Playwright takes ten times as long for an object: 25 s for the reference of the API on a busy machine.
 */
const READ_STYLES = `(properties) => {
  const styles = {}
  const rounded = (value) => value.replace(/\\d+\\.\\d+/g, (number) => Number(number).toFixed(1)) // what a script measures
  const read = (element, place) => {
    const computed = getComputedStyle(element)
    styles[place] = Object.fromEntries(properties.map((name) => [name, rounded(computed.getPropertyValue(name))]))
    if (element.matches('svg, .graphiql-container')) return
    ;[...element.children].forEach((child, index) => read(child, place + ' > ' + child.localName + ':' + index))
  }
  const dialogs = [...document.querySelectorAll('[role=dialog]')]
  read(dialogs.at(-1) ?? document.querySelector('main'), dialogs.length > 0 ? 'dialog' : 'main')
  return JSON.stringify(styles)
}`

/** How the dialog that is open looks, or else the page. */
export async function stylesOf(page: Page): Promise<Styles> {
  const text: string = await page.evaluate(`(${READ_STYLES})(${JSON.stringify(PROPERTIES)})`)
  return JSON.parse(text)
}

/** In which elements two looks differ, and how; nothing when they are alike. */
export function differences(one: Styles, other: Styles): string[] {
  const places = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...places].flatMap((place) => {
    const [left, right] = [one[place], other[place]]
    if (!left || !right) return [`${place}: only ${left ? 'before' : 'after'}`]
    return PROPERTIES.filter((name) => left[name] !== right[name]).map(
      (name) => `${place}: ${name}: ${left[name]} | ${right[name]}`,
    )
  })
}
