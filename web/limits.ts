/** How long what is typed may be, in characters; the portal has the last word. */
export const MAX_NAME = 80
export const MAX_LABEL = 80
export const MAX_SEARCH = 80
export const MAX_TAG = 40
export const MAX_TAGS = 20
export const MAX_REASON = 200
export const MAX_URL = 2000
export const MAX_WEBHOOK_DESCRIPTION = 200
