import { lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { notLoaded } from './api/not-loaded.ts'

/** A page whose code is loaded on demand. Offline it says so; with an outdated build, the whole page reloads once. */
const lazyPage = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazyRouteComponent(() => load().catch(sayWhy), name)

/** The router knows by the browser's own message that a reload may help, and that it has tried; PageError has other words for it. */
async function sayWhy(error: unknown): Promise<never> {
  throw await notLoaded(error instanceof Error ? error.message : undefined)
}

export const ApiKeyChangesPage = lazyPage(() => import('./pages/ApiKeyChangesPage.tsx'), 'ApiKeyChangesPage')
export const ApiKeyPage = lazyPage(() => import('./pages/ApiKeyPage.tsx'), 'ApiKeyPage')
export const ApiKeysPage = lazyPage(() => import('./pages/ApiKeysPage.tsx'), 'ApiKeysPage')
export const ApiExplorerPage = lazyPage(() => import('./pages/ApiExplorerPage.tsx'), 'ApiExplorerPage')
export const ApiPage = lazyPage(() => import('./pages/ApiPage.tsx'), 'ApiPage')
export const ApiReferencePage = lazyPage(() => import('./pages/ApiReferencePage.tsx'), 'ApiReferencePage')
export const AuditPage = lazyPage(() => import('./pages/AuditPage.tsx'), 'AuditPage')
export const DevicePage = lazyPage(() => import('./pages/DevicePage.tsx'), 'DevicePage')
export const DevicesPage = lazyPage(() => import('./pages/DevicesPage.tsx'), 'DevicesPage')
export const ForgotPasswordPage = lazyPage(() => import('./pages/ForgotPasswordPage.tsx'), 'ForgotPasswordPage')
export const InvitationPage = lazyPage(() => import('./pages/InvitationPage.tsx'), 'InvitationPage')
export const OverviewPage = lazyPage(() => import('./pages/OverviewPage.tsx'), 'OverviewPage')
export const ProfilePage = lazyPage(() => import('./pages/ProfilePage.tsx'), 'ProfilePage')
export const ResetPasswordPage = lazyPage(() => import('./pages/ResetPasswordPage.tsx'), 'ResetPasswordPage')
export const SettingsPage = lazyPage(() => import('./pages/SettingsPage.tsx'), 'SettingsPage')
export const SignInPage = lazyPage(() => import('./pages/SignInPage.tsx'), 'SignInPage')
export const SignUpPage = lazyPage(() => import('./pages/SignUpPage.tsx'), 'SignUpPage')
export const SupportPage = lazyPage(() => import('./pages/SupportPage.tsx'), 'SupportPage')
export const UsersPage = lazyPage(() => import('./pages/UsersPage.tsx'), 'UsersPage')
export const VerifyEmailPage = lazyPage(() => import('./pages/VerifyEmailPage.tsx'), 'VerifyEmailPage')
export const WebhookPage = lazyPage(() => import('./pages/WebhookPage.tsx'), 'WebhookPage')
export const WebhooksPage = lazyPage(() => import('./pages/WebhooksPage.tsx'), 'WebhooksPage')
export const ApiKeysPanel = lazyPage(() => import('./pages/ApiKeysPanel.tsx'), 'ApiKeysPanel')
