import type { BulkAction } from './run-bulk.ts'

interface Words {
  /** On the button. */
  verb: string
  doing: string
  done: string
}

export const WORDS: Record<BulkAction['kind'], Words> = {
  enable: { verb: 'Enable', doing: 'Enabling', done: 'enabled' },
  disable: { verb: 'Disable', doing: 'Disabling', done: 'disabled' },
  delete: { verb: 'Delete', doing: 'Deleting', done: 'deleted' },
  tags: { verb: 'Edit tags of', doing: 'Changing tags of', done: 'changed' },
}

export const devicesOf = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'}`
