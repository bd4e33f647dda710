import { useComputedColorScheme } from '@mantine/core'
import { setNonce } from 'get-nonce'
import { GraphiQL } from 'graphiql'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Caller, explore } from '../../api/schema-reference.ts'
import styles from './Explorer.module.css'
import editorStyles from './graphiql.css?inline'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? ''

// For the style tag that opening one of its dialogs makes.
setNonce(nonce)

const DEVICES = `# Ctrl+Enter runs it.
query Devices {
  devices(first: 10) {
    totalCount
    data {
      id
      name
      status
      lastSeenAt
    }
  }
}
`

interface Operation {
  query: string
  operationName?: string | null | undefined
}

interface ExplorerProps {
  caller: Caller
  slug: string
  /** Something is to run as a key, and there is none. */
  onKeyMissing: () => void
}

/** GraphiQL without its storage and its editor of headers. What it knows of the schema, it asks for as the person. */
export default function Explorer({ caller, slug, onKeyMissing }: ExplorerProps) {
  const colors = useComputedColorScheme()
  const [storage] = useState(memoryStorage)
  const explorer = useRef<HTMLDivElement>(null)
  useEffect(() => (explorer.current ? nameEditors(explorer.current) : undefined), [])
  const fetcher = async (operation: Operation) => {
    if (operation.operationName === 'IntrospectionQuery') return explore(operation, { slug })
    if ('secret' in caller && caller.secret.trim() === '') {
      onKeyMissing()
      return { errors: [{ message: 'Nothing was sent: paste an API key first.' }] }
    }
    return explore(withOwnName(operation), caller)
  }
  return (
    <div ref={explorer} className={styles['explorer']} onKeyDownCapture={leaveByTab}>
      <style nonce={nonce}>{editorStyles}</style>
      <GraphiQL
        fetcher={fetcher}
        storage={storage}
        defaultQuery={DEVICES}
        isHeadersEditorEnabled={false}
        shouldPersistHeaders={false}
        forcedTheme={colors}
      >
        <GraphiQL.Logo>{null}</GraphiQL.Logo>
      </GraphiQL>
    </div>
  )
}

/** Right after a paste GraphiQL still sends the name of the operation that was there before. */
const withOwnName = ({ operationName, ...operation }: Operation) =>
  operationName && operation.query.includes(operationName) ? { ...operation, operationName } : operation

/** Tab goes on to the next part of the page: an editor that takes it for itself cannot be left by keyboard. */
function leaveByTab(event: KeyboardEvent): void {
  if (event.key === 'Tab') event.stopPropagation()
}

/** A storage that ends with the page: what was typed may hold a secret, and nothing of it is kept. */
function memoryStorage() {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    clear: () => items.clear(),
    get length() {
      return items.size
    },
  }
}

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
function nameEditors(explorer: HTMLElement): () => void {
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
