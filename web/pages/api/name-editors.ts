/** What each editor of GraphiQL is called, by where it is. */
const EDITORS = {
  '.graphiql-query-editor': 'Operation',
  '.graphiql-editor-tool': 'Variables',
  '.graphiql-response': 'Response',
}

/**
 * What GraphiQL 4 leaves out for people who use a keyboard or a screen reader: names of its editors, a way to scroll
 * them, and tabs that are not buttons inside of buttons. Its icons are titled by the names of its functions, which
 * are meaningless once they are minified ("fh icon"); their buttons have names. It draws them again as it likes, so
 * they are watched.
 */
export function nameEditors(explorer: HTMLElement): () => void {
  const complete = () => {
    for (const [place, name] of Object.entries(EDITORS)) {
      for (const field of explorer.querySelectorAll(`${place} textarea`)) field.setAttribute('aria-label', name)
    }
    for (const scroller of explorer.querySelectorAll('.CodeMirror-scroll')) scroller.setAttribute('tabindex', '0')
    for (const title of explorer.querySelectorAll('svg > title')) if (title.textContent) title.textContent = ''
    for (const list of explorer.querySelectorAll('[role=tablist]')) list.setAttribute('role', 'list')
    for (const tab of explorer.querySelectorAll('.graphiql-tab')) asListItem(tab)
  }
  complete()
  const observer = new MutationObserver(complete)
  observer.observe(explorer, { subtree: true, childList: true, attributeFilter: ['aria-selected'] })
  return () => observer.disconnect()
}

/** Which operation is open is said by its button. */
function asListItem(tab: Element): void {
  const isOpen = tab.getAttribute('aria-selected')
  if (isOpen === null) return
  tab.removeAttribute('aria-selected')
  tab.setAttribute('role', 'listitem')
  tab.querySelector('button')?.setAttribute('aria-pressed', isOpen)
}
