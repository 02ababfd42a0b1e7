import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'

// How to start a server, and its requests. peers/README.md explains the fields.

/** The folder of the descriptions. */
export const descriptions = new URL('peers/', import.meta.url)

const atStart = ['node', 'folder', 'descriptions', 'port', 'databaseUrl', 'secret']
const inRequests = ['email', 'password', 'credential']
const placeholders = [...atStart, ...inRequests]
const placeholder = /\{(\w+)\}/g

const Program = z.strictObject({ command: z.string(), args: z.array(z.string()) })
const Request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT']),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.record(z.string(), z.json()).optional(),
  status: z.int().min(200).max(399),
})
export type Request = z.infer<typeof Request>
const Login = Request.extend({
  credential: z.union([z.strictObject({ body: z.string() }), z.strictObject({ cookie: z.string() })]),
})

export type ServerDescription = z.infer<typeof ServerDescription>
export const ServerDescription = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    hash: z.string(),
    settings: z.string(),
    folder: z.string().optional(),
    needs: z.array(z.string()),
    install: z.string(),
    env: z.record(z.string(), z.string()),
    prepare: z.array(z.union([z.strictObject({ sql: z.string() }), Program])),
    start: Program,
    ready: z.string().startsWith('/'),
    requests: z.strictObject({ create: Request, login: Login, me: Request }),
  })
  .superRefine((description, context) => {
    for (const [whole, name = ''] of JSON.stringify(description).matchAll(placeholder)) {
      if (placeholders.includes(name)) continue
      context.addIssue(`${whole} is none of the placeholders ${placeholders.join(', ')}`)
    }
  })

/** Returns the descriptions of peers/ by the names of their files. Throws if one is invalid. */
export async function readDescriptions() {
  const files = (await readdir(descriptions)).filter((file) => file.endsWith('.json')).sort()
  const entries = files.map(async (file) => {
    const text = await readFile(new URL(file, descriptions), 'utf8')
    const { data, error } = ServerDescription.safeParse(JSON.parse(text))
    if (error) throw new Error(`${file}: ${z.prettifyError(error)}`)
    return [basename(file, '.json'), data] as const
  })
  return new Map(await Promise.all(entries))
}

/** Replaces the placeholders that have a value. */
export function fill<Value>(value: Value, values: Record<string, string>): Value {
  const filled = JSON.stringify(value).replace(placeholder, (whole, name) =>
    name in values ? JSON.stringify(values[name]).slice(1, -1) : whole,
  )
  return JSON.parse(filled)
}
