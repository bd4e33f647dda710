/** What a webhook is called: its description, or the host that it is sent to. */
export const webhookName = ({ url, description }: { url: string; description: string | null }) =>
  description || (URL.canParse(url) ? new URL(url).host : url)
