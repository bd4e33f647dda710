import { Anchor } from '@mantine/core'
import { createContext, use } from 'react'
import { anchorOf } from './api-address.ts'

/** The names of the types that have a place in the reference. */
export const KnownTypes = createContext<ReadonlySet<string>>(new Set())

/** `[Device!]!`, where Device leads to its place in the reference. */
export function TypeName({ type }: { type: string }) {
  const known = use(KnownTypes)
  const name = type.replace(/[[\]!]/g, '')
  const [before = '', after = ''] = type.split(name)
  return (
    <span className="mono">
      {before}
      {known.has(name) ? (
        <Anchor href={`#${anchorOf('type', name)}`} inherit underline="always">
          {name}
        </Anchor>
      ) : (
        name
      )}
      {after}
    </span>
  )
}
