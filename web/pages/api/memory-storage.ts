/** A storage that ends with the page: what was typed may hold a secret, and nothing of it is kept. */
export function memoryStorage() {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    clear: () => items.clear(),
    get length() {
      return items.size
    },
  }
}
