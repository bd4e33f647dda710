import { Anchor } from '@mantine/core'
import { REFERENCE } from '../../api/schema-reference.ts'
import { anchorOf } from './api-address.ts'

const KNOWN = new Set(REFERENCE.types.map(({ name }) => name))

/** `[Device!]!`, where Device leads to its place in the reference. */
export function TypeName({ type }: { type: string }) {
  const name = type.replace(/[[\]!]/g, '')
  const [before = '', after = ''] = type.split(name)
  return (
    <span className="mono">
      {before}
      {KNOWN.has(name) ? (
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
