import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath } from './database-path.js'
import { failures } from './failures.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'

const c = initContract()

/** A role that members of tenants can have. */
export const Role = component(
  { id: 'Role', description: 'A role that members of tenants can have.' },
  z.object({
    name: field('Name of the role.', z.string(), { examples: ['owner'] }),
    rights: field('The built-in role whose rights it has.', z.enum(['owner', 'admin', 'member']), {
      isOpen: true,
    }),
  }),
)

const length = (description: string) => field(description, z.int().min(1), { format: 'int32' })

/** What the pages of an app need to know about a database. */
export const Features = component(
  {
    id: 'Features',
    description: 'What the pages of an app need to know about a database.',
    examples: [
      {
        signUp: true,
        password: { min: 8, max: 256 },
        accountOperations: true,
        tenantOperations: true,
        verifyEmailWithToken: false,
        loginMail: 'both',
        secondFactor: 'optional',
        passkeys: true,
        singleSignOn: true,
        ssoRouting: true,
        roles: [
          { name: 'owner', rights: 'owner' },
          { name: 'admin', rights: 'admin' },
          { name: 'member', rights: 'member' },
        ],
      },
    ],
  },
  z.object({
    signUp: field('Whether users can sign up.', z.boolean()),
    password: field(
      'Lengths of new passwords.',
      z.object({
        min: length('Minimum number of characters (Unicode code points).'),
        max: length('Maximum number of characters.'),
      }),
    ),
    accountOperations: field('Whether users have sessions and can change their account.', z.boolean()),
    tenantOperations: field('Whether users can create tenants and manage their own.', z.boolean()),
    verifyEmailWithToken: field(
      'Whether `verifyEmail` needs a token of the user, in addition to the code.',
      z.boolean(),
    ),
    loginMail: field(
      'What the mail of `requestLoginCode` has: a link, six digits (`code`), or both. `off`: users cannot log in by mail.',
      z.enum(['off', 'code', 'link', 'both']),
      { isOpen: true },
    ),
    secondFactor: field(
      'Whether users can have a second factor, and must.',
      z.enum(['off', 'optional', 'required']),
      {
        isOpen: true,
      },
    ),
    passkeys: field('Whether users can have passkeys.', z.boolean()),
    singleSignOn: field('Whether tenants can have single sign-on.', z.boolean()),
    ssoRouting: field(
      'Whether `routeLogin` finds the single sign-on of an address. A form then asks for the address first.',
      z.boolean(),
    ),
    roles: field('Roles of members, those with the most rights first.', z.array(Role)),
  }),
)
export type Features = z.infer<typeof Features>

export const features = c.router({
  getFeatures: {
    method: 'GET',
    path: `${databasePath}/features`,
    pathParams: DatabasePath,
    responses: { 200: Features, ...failures('database_not_found', 'unavailable') },
    summary: 'Get what a database offers',
    description: 'The settings that the pages of an app depend on. Needs no token.',
    metadata: { who: 'anyone', cacheControl: 'public, max-age=60', revalidates: true },
  },
} satisfies DescribedRoutes)
