import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx, UserCaller } from '../../caller/ctx.ts'
import type { Deps } from '../../caller/deps.ts'
import { originOf } from '../../config.ts'
import { sendError, toAppError } from '../../http/error-response.ts'
import { acceptInvitation, viewInvitation } from '../../identity/accept-invitation.ts'
import type { AuthRequest } from '../../identity/auth-request.ts'
import { createMailLimit } from '../../identity/backoff.ts'
import { sendVerificationAgain, verifyEmail } from '../../identity/email-verification.ts'
import { createForgotPassword } from '../../identity/forgot-password.ts'
import { createPasswords } from '../../identity/password.ts'
import { changePassword } from '../../identity/password-change.ts'
import { resetPassword } from '../../identity/password-reset.ts'
import { createPasswordThreads, passwordsAtOnce } from '../../identity/password-threads.ts'
import { signOut } from '../../identity/session.ts'
import { lookUpSession } from '../../identity/session-lookup.ts'
import { signIn } from '../../identity/sign-in.ts'
import { createSignInFailures } from '../../identity/sign-in-failures.ts'
import { createSignUpLimit, signUp } from '../../identity/sign-up.ts'
import { createThrottle } from '../../identity/throttle.ts'
import { AppError } from '../../lib/app-error.ts'
import { badInput } from '../../lib/check.ts'
import { sourceOf } from '../../lib/client-address.ts'
import type { Encryption } from '../../lib/encryption.ts'
import type { Shared } from '../../lib/limiter.ts'
import { requireSameSite } from '../portal/same-site.ts'
import { clearSessionCookie, sessionCookieName, setSessionCookie } from '../portal/session-cookie.ts'
import type { RateLimits } from '../rate-limit.ts'

/** Fits the longest form, in any script. Parsing 256 KiB takes 24 ms, and anybody may send hundreds at once. */
const MAX_FORM_BYTES = 8 * 1024

const NO_MAIL = 'This portal sends no email: ask its operator for a link to set a new password.'

/** Signing up, in and out, passwords and invitations: JSON in, JSON and the session cookie out. */
export function authRoutes(
  deps: Deps,
  { limits, shared, emailEncryption }: { limits: RateLimits; shared: Shared; emailEncryption: Encryption | undefined },
) {
  const { config, database, now, log } = deps
  const failures = createSignInFailures(deps)
  const { signInWaitsMs: waitsMs, sourceWaitsMs } = deps
  const throttle = createThrottle({ ...shared, waitsMs, sourceWaitsMs, noteFailure: failures.note })
  const countSignUp = createSignUpLimit(shared, deps.signUpWaitsMs)
  const atOnce = passwordsAtOnce(config.workers)
  const threads = deps.passwordThreads ?? createPasswordThreads()
  const passwords = createPasswords({ cost: deps.passwordCost, derive: threads.derive, atOnce })
  const forgot = emailEncryption && createForgotPassword(deps, { emailEncryption, ...shared })
  const countVerification = createMailLimit('verify', shared)
  const cookieName = sessionCookieName(config)

  return async (app: FastifyInstance): Promise<void> => {
    await app.register(cookie)
    app.removeContentTypeParser('text/plain')
    app.addHook('onClose', async () => {
      await Promise.all([forgot?.close(), failures.close(), deps.passwordThreads ? undefined : threads.close()])
    })
    app.addHook('onRoute', (route) => {
      route.bodyLimit = MAX_FORM_BYTES
    })
    app.setErrorHandler((error, { routeOptions }, reply) =>
      sendError(reply, toAppError(error, log, routeOptions.bodyLimit)),
    )
    app.addHook('onRequest', async (request) => {
      requireSameSite(request, config)
      await limits.countAuthRequest(sourceOf(request.ip))
    })

    app.post('/auth/sign-up', async (request, reply) => {
      if (!config.signUp)
        throw new AppError('FORBIDDEN', { message: 'Signing up is switched off: ask for an invitation.' })
      const { body } = request
      const email = requiredText(body, 'email')
      const password = requiredText(body, 'password')
      await countSignUp(sourceOf(request.ip))
      return signedIn(reply, await signUp(authRequest(request), { email, password, name: requiredText(body, 'name') }))
    })

    app.post('/auth/sign-in', async (request, reply) => {
      const email = requiredText(request.body, 'email')
      const password = requiredText(request.body, 'password')
      return signedIn(reply, await signIn(authRequest(request), { email, password }))
    })

    app.post('/auth/sign-out', async (request, reply) => {
      await signOut(database, request.cookies[cookieName] ?? '')
      clearSessionCookie(reply, config)
      return {}
    })

    app.post('/auth/change-password', async (request, reply) => {
      const caller = await requireCaller(request)
      const password = requiredText(request.body, 'password')
      const newPassword = requiredText(request.body, 'newPassword')
      const ctx: Ctx<UserCaller> = { caller, reads: database.readFor(caller.organizationId), database, now }
      return signedIn(reply, await changePassword(ctx, authRequest(request), { password, newPassword }))
    })

    app.post('/auth/forgot-password', async (request) => {
      const email = requiredText(request.body, 'email')
      if (!forgot) throw new AppError('FORBIDDEN', { message: NO_MAIL })
      await forgot.ask(email, request.ip)
      return {}
    })

    app.post('/auth/reset-password', async (request, reply) => {
      const token = requiredText(request.body, 'token')
      const password = requiredText(request.body, 'password')
      return signedIn(reply, await resetPassword(authRequest(request), { token, password }))
    })

    app.post('/auth/verify-email', (request) => verifyEmail(authRequest(request), requiredText(request.body, 'token')))

    app.post('/auth/send-verification-email', async (request) => {
      await sendVerificationAgain(authRequest(request), await requireCaller(request), countVerification)
      return {}
    })

    app.post('/auth/invitation', (request) => viewInvitation(authRequest(request), requiredText(request.body, 'token')))

    app.post('/auth/accept-invitation', async (request, reply) => {
      const token = requiredText(request.body, 'token')
      const name = optionalText(request.body, 'name')
      const password = optionalText(request.body, 'password')
      const caller = await callerOf(request)
      return signedIn(reply, await acceptInvitation(authRequest(request), { token, name, password, caller }))
    })
  }

  function authRequest(request: FastifyRequest): AuthRequest {
    const { ip: address, headers } = request
    const mail = emailEncryption && { origin: originOf(config), encryption: emailEncryption }
    return {
      database,
      now,
      throttle,
      passwords: passwords.from(sourceOf(address)),
      address,
      userAgent: headers['user-agent'] ?? '',
      mail,
    }
  }

  async function requireCaller(request: FastifyRequest): Promise<UserCaller> {
    const caller = await callerOf(request)
    if (!caller) throw new AppError('UNAUTHENTICATED', { message: 'Sign in first.' })
    return caller
  }

  async function callerOf(request: FastifyRequest): Promise<UserCaller | undefined> {
    const token = request.cookies[cookieName] ?? ''
    const found = await lookUpSession(database, token, undefined)
    return found.outcome === 'accepted' ? found.caller : undefined
  }

  function signedIn<Answer extends { token?: string }>(reply: FastifyReply, { token, ...answer }: Answer) {
    if (token !== undefined) setSessionCookie(reply, config, token)
    return answer
  }
}

/** Fits the longest password in any script, with room to spare. A longer one would take long to normalize and to hash. */
const MAX_TEXT_LENGTH = 2048

/** A required text field of the JSON object. */
function requiredText(body: unknown, field: string): string {
  const text = optionalText(body, field)
  if (text === undefined) throw badInput(field, `${field}: required.`)
  return text
}

/** An optional text field of the JSON object; null is the same as absent. */
function optionalText(body: unknown, field: string): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('BAD_REQUEST', { message: 'POST a JSON object.' })
  }
  const value = new Map<string, unknown>(Object.entries(body)).get(field) ?? undefined
  if (value !== undefined && typeof value !== 'string') throw badInput(field, `${field}: a text.`)
  if (value !== undefined && value.length > MAX_TEXT_LENGTH) throw badInput(field, `${field}: too long.`)
  return value
}
