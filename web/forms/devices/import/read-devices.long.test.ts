import { describe, expect, it } from 'vitest'
import { readDevices } from './read-devices.ts'

const fileOf = (...parts: (string | Uint8Array<ArrayBuffer>)[]) => new Blob(parts)
const read = (text: string) => readDevices(fileOf(text))
const refusal = (file: Blob) => readDevices(file).catch((error: unknown) => error)

describe('a CSV file of devices', () => {
  it('has a device in each line, with what its columns say', async () => {
    const { rows, errors, ignored } = await read(
      [
        'Name,Firmware version,TAGS,enabled,location.name,Latitude,Time zone,description,id,colour',
        'press-7,2.1,"berlin, pilot",no,Berlin plant,52.52,Europe/Berlin,"two\nlines",x,red',
        'press-8,,,,,,,,,',
      ].join('\n'),
    )
    expect(errors).toEqual([])
    expect(ignored).toEqual(['colour'])
    const nowhere = { name: null, latitude: null, timeZone: null }
    expect(rows).toEqual([
      {
        line: 2,
        device: {
          name: 'press-7',
          firmwareVersion: '2.1',
          tags: ['berlin', 'pilot'],
          enabled: false,
          location: { name: 'Berlin plant', latitude: 52.52, timeZone: 'Europe/Berlin' },
          description: 'two\nlines',
        },
      },
      { line: 4, device: { name: 'press-8', firmwareVersion: null, tags: [], location: nowhere, description: null } },
    ])
  })

  it('may have a byte order mark, Windows line ends, semicolons, a decimal comma and empty lines', async () => {
    const { rows } = await read('\uFEFFname;latitude;tags\r\n\r\npress-7;52,5;a;\r\n\r\n')
    expect(rows).toEqual([{ line: 3, device: { name: 'press-7', location: { latitude: 52.5 }, tags: ['a'] } }])
  })

  it('says of each line what is wrong, with the field, and goes on', async () => {
    const { rows, errors, errorCount } = await read(
      [
        'name,enabled,latitude,timeZone,tags',
        ',true,1,UTC,',
        `${'x'.repeat(81)},maybe,91,Mars/Base,${'y'.repeat(41)}`,
        'fine,true,1,UTC,a',
        'fine,true,1,UTC,a',
        'more,true,1,UTC,a,b',
      ].join('\n'),
    )
    expect(rows.map(({ line }) => line)).toEqual([4])
    expect(errors.map(({ line, field }) => [line, field])).toEqual([
      [2, 'name'],
      [3, 'name'],
      [3, 'enabled'],
      [3, 'location.latitude'],
      [3, 'location.timeZone'],
      [3, 'tags'],
      [5, 'name'],
      [6, undefined],
    ])
    expect(errors[6]?.message).toBe('Line 4 has the same name.')
    expect(errorCount).toBe(8)
  })

  it('says of combining marks in a row that they are too many, and takes no time for them', async () => {
    const hostile = `a${'\u0301\u0323'.repeat(9_000)}`
    const before = process.threadCpuUsage()
    const { errors } = await read(`name\na${'\u0301'.repeat(31)}\n${`${hostile}\n`.repeat(10)}`)
    const { user, system } = process.threadCpuUsage(before)
    expect(errors.map(({ message }) => message)).toEqual(Array(11).fill('At most 30 combining marks in a row.'))
    expect((user + system) / 1_000).toBeLessThan(500)
  })

  it('takes no time for blanks before its first line', async () => {
    const before = process.threadCpuUsage()
    await read(`${' '.repeat(120_000)}name,tags`).catch(() => undefined)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(500)
  })

  it('gives back what an export guards from spreadsheets', async () => {
    const { rows } = await read(`name,tags\n'=1+1,"[""a;b"",""c""]"\n''=2,\n`)
    expect(rows.map(({ device }) => [device.name, device.tags])).toEqual([
      ['=1+1', ['a;b', 'c']],
      ["'=2", []],
    ])
  })

  it('of 100,000 lines is read in pieces, with other work between them', async () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `device-${i},"berlin;pilot",2.1.${i % 7},Plant ${i % 50}`)
    const file = fileOf(`name,tags,firmware,place\n${lines.join('\n')}`)
    const shares: number[] = []
    let turns = 0
    const timer = setInterval(() => turns++)
    const { rows } = await readDevices(file, { onProgress: (share) => shares.push(share) })
    clearInterval(timer)
    expect(rows.length).toBe(100_000)
    expect(rows.at(-1)).toMatchObject({ line: 100_001, device: { name: 'device-99999', tags: ['berlin', 'pilot'] } })
    expect(shares.at(-1)).toBe(1)
    expect(shares.length).toBeGreaterThan(20)
    expect(turns).toBeGreaterThan(5)
  })

  it('stops when it is told to', async () => {
    const stop = new AbortController()
    stop.abort()
    await expect(readDevices(fileOf('name\na'), { signal: stop.signal })).rejects.toThrow('abort')
  })
})

describe('a JSON file of devices', () => {
  it('is a list of objects as the API has them, also inside of an answer of the API', async () => {
    const list = `[\n{"name": "a", "tags": ["x, y"], "location": {"latitude": 1, "planet": "Mars"}},\n\n{"id": "1", "name": "b", "enabled": false, "location": null}]`
    const nowhere = { name: null, address: null, latitude: null, longitude: null, timeZone: null }
    const rows = [
      { line: 2, device: { name: 'a', tags: ['x, y'], location: { latitude: 1 } } },
      { line: 4, device: { name: 'b', enabled: false, location: nowhere } },
    ]
    expect(await read(list)).toMatchObject({ rows, errors: [], ignored: ['location.planet'] })
    expect(await read(`{"data": {"devices": {"data": ${list}, "pageInfo": {}}}}`)).toMatchObject({ rows })
  })

  it('says of each object what is wrong', async () => {
    const { errors } = await read('[{"name": 5},\n"b",\n{"tags": "x"},\n{"name": "c", "location": "here"}]')
    expect(errors.map(({ line, field }) => [line, field])).toEqual([
      [1, 'name'],
      [2, undefined],
      [3, 'tags'],
      [3, 'name'],
    ])
  })

  it.for([
    ['[{"name": "a"},\n{"name": }]', 2],
    ['[{"name": "a"}\n,\n]', 3],
    ['[{"name": "a"},\n{"name": "b"', 2],
    ['[{"name": "a"}]\nmore', 1],
    ['{"name": "a"}', 1],
    ['[{\n"name": "a",\n}]', 3],
  ] as const)('that cannot be read is refused with the line: %s', async ([text, line]) => {
    expect(await refusal(fileOf(text))).toMatchObject({ name: 'FileError', line })
  })
})

describe('a file that is something else', () => {
  const utf16 = (text: string) => new Uint8Array(Uint16Array.from([...text].map((char) => char.charCodeAt(0))).buffer)

  it.for([
    ['UTF-16 with its mark', fileOf(utf16('\uFEFFname\na')), 'UTF-16'],
    ['UTF-16 without', fileOf(utf16('name\npress-7\npress-8')), 'UTF-16'],
    ['a workbook', fileOf('PK\u0003\u0004', new Uint8Array([0, 0, 8, 0])), 'workbook'],
    ['an image', fileOf(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13])), 'not a text file'],
    ['empty', fileOf(''), 'empty'],
    ['blank', fileOf('\n \n'), 'empty'],
    ['only a head', fileOf('name,tags\n'), 'no device'],
    ['without a name column', fileOf('serial,tags\n1,a'), 'must be “name”'],
    ['two columns for one field', fileOf('name,lat,latitude\n1,a'), 'Two columns'],
  ] as const)('is refused in words: %s', async ([, file, words]) => {
    expect(String(await refusal(file))).toContain(words)
  })

  it('in another encoding is refused with the line', async () => {
    const latin1 = new Uint8Array([...'name\na\nM\u00fcnchen\n'].map((char) => char.charCodeAt(0)))
    expect(await refusal(fileOf(latin1))).toMatchObject({ message: expect.stringContaining('not UTF-8'), line: 3 })
  })

  it('is refused unread when it is huge', async () => {
    const huge = { size: 500 * 1024 * 1024 } as Blob
    expect(String(await refusal(huge))).toContain('larger than 100 MB')
  })
})
