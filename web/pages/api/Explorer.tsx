import 'graphiql/style.css'
import './graphiql.css'
import { useComputedColorScheme } from '@mantine/core'
import { setNonce } from 'get-nonce'
import { GraphiQL } from 'graphiql'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Caller, explore } from '../../api/explore.ts'
import styles from './Explorer.module.css'
import { memoryStorage } from './memory-storage.ts'
import { nameEditors } from './name-editors.ts'

// For the style tag that opening one of its dialogs makes.
setNonce(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '')

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
