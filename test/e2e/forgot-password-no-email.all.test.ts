import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading } from '../support/browser/portal-page.ts'

const it = inPortal()

describe('a forgotten password, if the portal sends no email', () => {
  it('says whom to ask, and shows no form', async ({ portal }) => {
    const page = await portal.open({ path: '/sign-in' })
    await page.getByText('Ask the portal administrator for a reset link.').waitFor()
    expect(await page.getByRole('link', { name: 'Forgot your password?' }).count()).toBe(0)
    await page.goto('/forgot-password')
    await page.getByText('This portal does not send email. Ask its administrator').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Back to sign in' }).click()
    await heading(page, 'Sign in').waitFor()
  })
})
