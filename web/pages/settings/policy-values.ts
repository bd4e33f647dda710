import { ApiError } from '../../api/client.ts'
import type { PolicyInput } from '../../api/policy.ts'
import { textOf } from '../../ui/Form.tsx'

/** All rules as they stand in the form: what is empty is cleared. */
export function policyFrom(values: FormData): Required<PolicyInput> {
  return {
    maxKeys: numberOf(values, 'maxKeys'),
    longestLifeDays: numberOf(values, 'longestLifeDays'),
    endRequired: values.has('endRequired'),
    labelRequired: values.has('labelRequired'),
    allowedNetworks: (textOf(values, 'allowedNetworks') ?? '').split(/[\s,;]+/).filter(Boolean),
    keysManageKeys: values.has('keysManageKeys'),
    refuseBrowsers: values.has('refuseBrowsers'),
  }
}

/** Whether a number is too small or too great is for the portal to say. */
function numberOf(values: FormData, field: string): number | null {
  const text = textOf(values, field)
  if (!text) return null
  if (!/^-?\d{1,9}$/.test(text)) throw new ApiError('A whole number, or nothing.', { code: 'BAD_USER_INPUT', field })
  return Number(text)
}
