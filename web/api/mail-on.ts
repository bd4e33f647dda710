/** Whether the portal sends mail; the server writes it into the page. */
export const isMailOn = () => document.querySelector<HTMLMetaElement>('meta[name="mail"]')?.content === 'on'
