import { ApiError } from '../../../api/client.ts'
import type { PolicyInput } from '../../../api/policy.ts'
import { textOf } from '../../../ui/Form.tsx'

/** All rules as they stand in the form: what is empty is cleared. */
export function policyFrom(values: FormData): Required<PolicyInput> {
  return {
    maxKeys: numberOf(values, 'maxKeys'),
    maxLifetimeDays: numberOf(values, 'maxLifetimeDays'),
    expiryRequired: values.has('expiryRequired'),
    labelRequired: values.has('labelRequired'),
    allowedNetworks: networksOf(values),
    allowKeyManagement: values.has('allowKeyManagement'),
    rejectBrowsers: values.has('rejectBrowsers'),
  }
}

/** Each on a line of its own, or separated otherwise. */
export const networksOf = (values: FormData): string[] =>
  (textOf(values, 'allowedNetworks') ?? '').split(/[\s,;]+/).filter(Boolean)

/** The greatest that can be sent. */
const GREATEST = 2_147_483_647

/** Whether a number is too small or too great is for the portal to say. */
export function numberOf(values: FormData, field: string): number | null {
  const text = textOf(values, field)
  if (!text) return null
  if (!/^-?\d+$/.test(text))
    throw new ApiError('Enter a whole number, or leave this empty.', { code: 'BAD_USER_INPUT', field })
  return Math.max(-GREATEST, Math.min(Number(text), GREATEST))
}
