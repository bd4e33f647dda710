import { Button, Text } from '@mantine/core'
import { countKeys } from '../../../components/key-counts.ts'
import { notifyDone, notifyLeft } from '../../../ui/notify.ts'

interface Revoked {
  label: string
  /** The ids of all that are gone now; absent when somebody else was quicker. */
  gone: readonly string[] | undefined
  /** The ids of those that it generated and that are still active. */
  left: readonly string[]
}

/** Says what was revoked, and what lives on: that stays in sight until it is closed, with a way to them. */
export function notifyRevoked({ label, gone, left }: Revoked, onShow: () => void): void {
  const done = wordsFor(label, gone)
  if (left.length === 0) {
    notifyDone(done)
    return
  }
  notifyLeft((close) => (
    <>
      <Text inherit>
        {done} {countKeys(left.length)} that it generated {left.length === 1 ? 'is' : 'are'} still active.
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        mt="xs"
        onClick={() => {
          close()
          onShow()
        }}
      >
        {left.length === 1 ? 'Show it' : 'Show them'}
      </Button>
    </>
  ))
}

function wordsFor(label: string, gone: readonly string[] | undefined): string {
  if (!gone) return `“${label}” was already revoked.`
  const more = gone.length - 1
  if (more === 0) return `“${label}” was revoked. Calls with it are now refused.`
  return `“${label}” and ${more === 1 ? 'the key' : `the ${more} keys`} that it generated were revoked.`
}
