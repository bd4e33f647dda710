const MAX_REPEATED_LENGTH = 4

/** Long passwords that are on every list of stolen ones, without the digits and symbols that people append. */
const COMMON = new Set(
  `password passwordpassword passw0rd passw0rdpassw0rd mypassword mypasswordis thepassword yourpassword newpassword
  oldpassword changepassword changeme changemeplease changemechangeme pleasechangeme defaultpassword temppassword
  temporarypassword testpassword secretpassword strongpassword securepassword supersecret supersecretpassword
  masterpassword adminpassword administrator rootpassword userpassword welcome welcomewelcome welcomehome letmein
  letmeinletmein letmeinplease letmeinnow iloveyou iloveyousomuch iloveyouforever iloveyoubaby iloveyoumore ilovemyself
  ilovemyfamily ilovejesus iloveyouiloveyou correcthorsebatterystaple trustno1trustno1 qwerty qwertyqwerty qwertyuiop
  qwertyuiopasdf qwertyasdfzxcv asdfghjkl asdfghjklzxcvbnm zxcvbnmasdfghjkl qazwsxedcrfv qazwsxedcrfvtgb 1q2w3e4r5t6y
  1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv zaq12wsxcde3 q1w2e3r4t5y6 q1w2e3r4t5y6u7
  q1w2e3r4t5y6u7i8 a1b2c3d4e5f6 a1s2d3f4g5h6 1a2b3c4d5e6f abc123abc123 147258369147 741852963741 159753159753
  123321123321 112233445566 111222333444 121212343434 123123456456 102030405060 987654321987 1234567890qwerty
  123456qwerty 123456789qwe 123456789abc abcdef123456 abc123456789 1234password 123456password football footballfootball
  baseball baseballbaseball basketball basketballbasketball liverpoolfc manchesterunited manchestercity barcelona
  barcelonabarcelona realmadrid realmadridrealmadrid starwars starwarsstarwars pokemonpokemon minecraft
  minecraftminecraft superman supermansuperman batmanbatman spiderman spidermanspiderman monkeymonkey dragondragon
  sunshine sunshinesunshine princess princessprincess princesaprincesa michaeljackson michaeljordan justinbieber
  harrypotter harrypotterharrypotter christmas christmastree merrychristmas happybirthday happybirthdaytoyou
  summersummer winterwinter chocolate chocolatechocolate computer computercomputer internet internetinternet
  googlegoogle facebook facebookfacebook microsoft raspberry raspberrypi edgeportal edgemanagement
  edgemanagementportal portalportal`.split(/\s+/),
)

/** Sequences: the alphabet, the digits, the rows of keyboards. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789012345678901234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  '1234567890qwertyuiopasdfghjklzxcvbnm',
  '1234567890-=qwertyuiop[]',
  '!@#$%^&*()_+qwertyuiop',
]
const WALKS = [...ROWS, ...ROWS.map((row) => [...row].reverse().join(''))]

const REPEATED = new RegExp(`^(.{1,${MAX_REPEATED_LENGTH}}?)\\1+$`, 'su')

/** Whether a password of full length is among the first that an attacker tries, in any case. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase()
  const bare = text.replace(/[^\p{Letter}]+$/u, '') // Password1234! is password
  return COMMON.has(text) || COMMON.has(bare) || REPEATED.test(text) || WALKS.some((walk) => walk.includes(text))
}
