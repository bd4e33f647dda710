import { Anchor, Title } from '@mantine/core'
import type { KeySearch } from './key-search.ts'

interface ListViewsProps {
  /** What the list of keys is called, with their number. */
  keys: string
  view: KeySearch['view']
  onShow: (changes: KeySearch) => void
}

/** The heading of what is shown, and the way to the other list. */
export function ListViews({ keys, view, onShow }: ListViewsProps) {
  return view === 'revoked' ? (
    <>
      <OtherView onClick={() => onShow({ view: undefined })}>{keys}</OtherView>
      <Current>Recently revoked</Current>
    </>
  ) : (
    <>
      <Current>{keys}</Current>
      <OtherView onClick={() => onShow({ view: 'revoked' })}>Recently revoked</OtherView>
    </>
  )
}

const Current = ({ children }: { children: string }) => (
  <Title order={3} size="h5">
    {children}
  </Title>
)

export const OtherView = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <Anchor component="button" type="button" size="sm" underline="always" onClick={onClick}>
    {children}
  </Anchor>
)
