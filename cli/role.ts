import { InvalidArgumentError, Option } from 'commander'
import type { Role } from '../server/db/tables.ts'

/** The option `--role ADMIN` or `--role MEMBER`, in upper or lower case. */
export const roleOption = () =>
  new Option('--role <role>', 'ADMIN or MEMBER (default: MEMBER)').argParser((text): Role => {
    const role = text.toUpperCase()
    if (role === 'ADMIN' || role === 'MEMBER') return role
    throw new InvalidArgumentError('Give ADMIN or MEMBER.')
  })
