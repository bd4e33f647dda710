import { Button } from '@mantine/core'
import { paths } from '../paths.ts'
import { Empty } from '../ui/Empty.tsx'
import { Page } from './Page.tsx'

/** A missing page and one without access look the same. */
export function PageMissing() {
  return (
    <Page title="Not found">
      <Empty
        title="This page does not exist"
        action={
          <Button component="a" href={paths.home()}>
            Go to the home page
          </Button>
        }
      >
        The address may be wrong, or you may not have access.
      </Empty>
    </Page>
  )
}
