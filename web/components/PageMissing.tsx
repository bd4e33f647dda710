import { Button } from '@mantine/core'
import { paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { Page } from './Page.tsx'

/** Not there, and not for you: the same page. */
export function PageMissing() {
  return (
    <Page title="Not found">
      <Empty
        title="There is nothing here"
        action={
          <Button component="a" href={paths.home()}>
            Go to the start
          </Button>
        }
      >
        The address is mistyped, or leads to something that you may not see.
      </Empty>
    </Page>
  )
}
