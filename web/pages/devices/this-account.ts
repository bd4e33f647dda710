import type { Viewer } from '../../api/viewer.ts'

/** A person's own account is no organization to them. */
export const thisAccount = ({ kind }: Viewer['organization']) =>
  kind === 'PERSONAL' ? 'this account' : 'this organization'
