export function ApiKeysPanel() {
  return null
}
