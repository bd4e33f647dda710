/** One of the files that scripts are bundled into; a module belongs to the first one that it matches. */
interface Chunk {
  name: string
  test: RegExp
  /** Only what every page loads. */
  tags?: ['$initial']
  minShareCount?: number
  includeDependenciesRecursively: false
}

/** Scripts of `web/`. */
const ours = (files: string) => new RegExp(`[\\\\/]web[\\\\/](${files.replaceAll('/', '[\\\\/]')})\\.tsx?$`)

/**
 * All of them in one stylesheet, which every page has from the beginning: how a page looks depends neither on what was loaded
 * before it, nor on whether the rest of its styles arrives. Only the explorer's editor has one of its own.
 */
const STYLES = /[\\/]web[\\/].*\.module\.css$|virtual:\w+\.css$|[\\/](notifications[\\/]styles|portal)\.css$/

/** Components of Mantine. */
const mantine = (names: string) =>
  new RegExp(`[\\\\/]@mantine[\\\\/]core[\\\\/]esm[\\\\/]components[\\\\/](${names})[\\\\/]`)

const either = (...parts: RegExp[]) => new RegExp(parts.map(({ source }) => source).join('|'))

const chunk = (name: string, test: RegExp, options: Pick<Chunk, 'tags' | 'minShareCount'> = {}): Chunk => ({
  name,
  test,
  ...options,
  includeDependenciesRecursively: false, // else a small part takes all that it needs out of the others
})

/**
 * Few files, and in each what is needed together: on a phone a file costs a round trip, and names cost more than they
 * save (P8). What every page needs is in two, one of which changes with the libraries only; menus, dialogs and fields
 * are for the pages that have some.
 */
export const CHUNKS: Chunk[] = [
  chunk(
    'vendor',
    either(
      /[\\/]node_modules[\\/](react|react-dom|scheduler|clsx|use-sync-external-store)[\\/]/,
      /[\\/]@tanstack[\\/](query-core|history|router-core|store|react-store)[\\/]/,
      /[\\/]@tanstack[\\/]react-(query|router)[\\/](?!.*useBlocker)/,
      /[\\/]@mantine[\\/]core[\\/]esm[\\/]core[\\/](?!.*(create-scoped-keydown-handler|find-element-in-shadow-dom|get-(breakpoint-value|sorted-breakpoints)|units-converters[\\/]px))/,
      /[\\/]@mantine[\\/]hooks[\\/].*[\\/]use-(callback-ref|did-update|id|isomorphic-effect|media-query|merged-ref|mutation-observer|reduced-motion|uncontrolled|color-scheme)[\\/]|[\\/]random-id[\\/]/,
      mantine(
        'Alert|Anchor|Badge|Button|Center|CloseButton|Code|Container|Group|Input|InputBase|Loader|NativeSelect|Paper|Skeleton|Stack|Text|TextInput|Title|Transition|UnstyledButton|VisuallyHidden',
      ),
      ours('build/replaced/(colors|combobox-chevron|default-theme|provider-styles|scroll-area|transitions)'),
      /[\\/](to-int\.|get-parsed-combobox-data[\\/])/,
      /vite[\\/]preload-helper|rolldown[\\/]runtime/,
    ),
  ),
  chunk(
    'app',
    either(
      STYLES,
      ours(
        'routes|route-search|lazy-pages?|paths|limits|layouts/(AppShell|AccountMenu|AccountSwitcher|LazyKeyNotices|Frameless)|components/(Notices|Offline|Page|PlainNotices|PageError|PageLoading|PageMissing|Section|WhenVerified|WhyNoKeys|key-counts|key-times)|api/(api-keys|client|early|graphql|mail-on|not-loaded|policy|polling|query-client|reach|secret-text|session|users|viewer)|ui/(browser-name|Empty|ErrorAlert|fields|Form|call-counts|days-left|icons|lazy-dialog|lazy-part|LazyUsageHistory|MenuButton|notify|relative-time|Table|theme|Time|unsaved|usage-window|use-address-input|use-key-of-secret|use-return-focus)|pages/(api/api-address|audit/audit-search|changes/changes-search|devices/device-search|webhooks/delivery-search)|panels/api-keys/key-search',
      ),
    ),
  ),
  chunk(
    'menus',
    either(/[\\/]@floating-ui[\\/]/, mantine('Combobox|Menu|Pill|PillsInput|Popover|ScrollArea|TagsInput')),
  ),
  chunk(
    'drawer',
    either(
      mantine('FocusTrap|ModalBase|Overlay|Portal'),
      /[\\/]@mantine[\\/]hooks[\\/].*[\\/]use-(focus-trap|focus-return|click-outside|window-event)[\\/]/,
      ours('build/replaced/remove-scroll'),
    ),
  ),
  chunk('dialogs', either(mantine('Modal'), ours('ui/(ConfirmDialog|ConfirmButtons|FormDialog)'))),
  chunk('choices', either(mantine('Checkbox|Radio|Switch'), /InlineInput|InputsGroup/)),
  chunk(
    'controls',
    either(
      mantine('FloatingIndicator|SegmentedControl|SimpleGrid'),
      /get-(breakpoint-value|sorted-breakpoints)|units-converters[\\/]px/,
      /[\\/]@mantine[\\/]hooks[\\/].*[\\/](shallow-equal|use-(mounted|shallow-effect|timeout))[\\/]/,
    ),
  ),
  chunk(
    'sections',
    ours('ui/(StateDot|ShowMore|Outdated|use-copy|use-confirming)|components/DescriptionList|api/(organization|mail)'),
  ),
  chunk('auth', ours('layouts/(AuthLayout|ExpiredLink)|pages/use-link-token|forms/identity/use-enter')),
  chunk('support', ours('pages/SupportPage|pages/support/.*|api/support')),
  chunk('profile', ours('pages/ProfilePage|pages/profile/.*|forms/identity/(ChangePassword|EditProfile)|api/profile')),
  chunk('users', ours('pages/UsersPage|pages/users/.*')),
  chunk('overview', ours('pages/OverviewPage|pages/overview/.*|api/overview')),
  chunk(
    'keys',
    ours(
      'components/(KeysHeld|key-access|LastUsed)|api/(keys-held|key-pause)|forms/api-keys/(GenerateKey|ExpirationField|expiration|dialogs|secret/(lost-key|lost-key-notice|secret-dialog|use-generated)|pause/(WhilePaused|use-pause|pauses))',
    ),
  ),
  chunk(
    'key-notices',
    ours('layouts/(KeyNotices|use-(canary|expiry)-notice|used-canaries|expiring-keys)|api/(canary-keys|expiring-keys)'),
  ),
  chunk(
    'notices',
    either(
      /[\\/]@mantine[\\/](notifications|store)[\\/]esm[\\/]|[\\/]react-transition-group[\\/]|[\\/]@babel[\\/]runtime[\\/]/,
      /[\\/]@mantine[\\/]hooks[\\/].*[\\/]use-(drag|force-update)[\\/]/,
      mantine('Notification'),
    ),
  ),
  chunk('usage', ours('ui/(UsageHistory|UsageTable|UsageBars|use-chart-cursor|chart-scale)')),
  chunk(
    'devices',
    either(
      mantine('Textarea'),
      ours(
        'api/(devices|edit-device)|forms/devices/use-device-actions|pages/devices/(CurlField|DeviceTags|links|this-account|DeviceStatus)|ui/(CopyField|LongTextField)|forms/api-keys/secret/forms-of-secret',
      ),
    ),
  ),
  chunk(
    'settings',
    ours(
      'pages/SettingsPage|pages/settings/(Emails|Webhooks|ApiKeysSwitch|AccountName)|forms/api-keys/policy/(KeyPolicy|policy-values|NetworksField)|forms/organizations/RenameAccount',
    ),
  ),
  chunk(
    'webhooks',
    ours(
      'api/webhooks|components/(webhook-events|WebhookStatus|webhook-name)|pages/webhooks/(ForAdmins|delivery-states)|forms/webhooks/(secret-dialog|both-until)',
    ),
  ),
  chunk(
    'reference',
    ours(
      'pages/ApiReferencePage|pages/api/(RootFields|Fields|search-reference|Types|Entry|Described|use-anchor|TypeName)|api/schema-reference',
    ),
  ),
  chunk('panel', ours('ui/(SidePanel|UsageChart)|panels/(ApiKeysPanel|api-keys/(?!RevokedKeys|SelectKeys|choices).*)')),
  chunk(
    'key',
    ours(
      'pages/ApiKeyPage|pages/api-key/.*|api/(api-key|key-calls|descendants)|components/access-words|forms/api-keys/pause/(PausedNotice|PauseKey)|api/key-access',
    ),
  ),
  chunk('events', ours('api/audit|ui/(SaveFile|save-file|csv-line)|pages/audit/(FieldChanges|field-changes|filter)')),
]

/** What every page has loaded before it loads anything else. */
export const isAlwaysLoaded = (file: string) => /[\\/](index|rolldown-runtime|vendor|app)-[\w-]+\.js$/.test(file)
