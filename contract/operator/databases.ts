import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { IfMatchHeaders, NoQuery } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { settingEntries } from '../settings.js'
import {
  ChangedSettings,
  ChangeSettingsBody,
  CreateDatabaseBody,
  CreatedDatabase,
  CreateWorkspaceBody,
  DatabaseDetails,
  DatabaseList,
  EveryDatabaseList,
  EveryDatabaseQuery,
  NamesQuery,
  pathName,
  SettingList,
  Statistics,
  StatisticsQuery,
  WorkspaceInfo,
  WorkspaceList,
  WorkspacesQuery,
} from './database-schemas.js'
import {
  ConfirmationHeaders,
  DatabasePath,
  operatorDatabasePath,
  operatorProblems,
  operatorWriteProblems,
} from './fields.js'

const c = initContract()

const WorkspacePath = z.object({ workspaceSlug: pathName('Slug of the workspace.', 'acme') })
const workspacePath = '/operator/workspaces/:workspaceSlug'

const confirmedFields = settingEntries
  .filter(([, { confirms }]) => confirms)
  .map(([name]) => ({ name: `settings.${name}`, operator: 'confirms' as const }))

export const databases = c.router({
  listWorkspaces: {
    method: 'GET',
    path: '/operator/workspaces',
    query: WorkspacesQuery,
    responses: { 200: WorkspaceList, ...failures(...operatorProblems) },
    summary: 'List workspaces',
    description:
      'Returns the workspaces in which the operator has a role: all of them for an operator of the installation.',
    metadata: { who: { operator: 'member', in: 'anywhere' } },
  },
  createWorkspace: {
    method: 'POST',
    path: '/operator/workspaces',
    body: CreateWorkspaceBody,
    responses: { 201: WorkspaceInfo, ...failures('workspace_exists', ...operatorWriteProblems) },
    summary: 'Create a workspace',
    description: 'Its slug is part of every path, and cannot change.',
    metadata: { who: { operator: 'owner', in: 'installation' }, records: { words: 'created the workspace' } },
  },
  listEveryDatabase: {
    method: 'GET',
    path: '/operator/databases',
    query: EveryDatabaseQuery,
    responses: { 200: EveryDatabaseList, ...failures(...operatorProblems) },
    summary: 'List the databases of all workspaces',
    description: 'Returns those of the workspaces in which the operator has a role, by path.',
    metadata: { who: { operator: 'member', in: 'anywhere' } },
  },
  listDatabases: {
    method: 'GET',
    path: `${workspacePath}/databases`,
    pathParams: WorkspacePath,
    query: NamesQuery,
    responses: { 200: DatabaseList, ...failures(...operatorProblems) },
    summary: 'List databases',
    description: 'Returns the databases of a workspace.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  createDatabase: {
    method: 'POST',
    path: `${workspacePath}/databases`,
    pathParams: WorkspacePath,
    headers: ConfirmationHeaders,
    body: CreateDatabaseBody,
    responses: {
      201: CreatedDatabase,
      ...failures('workspace_not_found', 'database_exists', 'step_up_required', ...operatorWriteProblems),
    },
    summary: 'Create a database',
    description:
      'It has the default settings, apart from the given ones. Those with `confirms` need a confirmation.',
    metadata: {
      who: { operator: 'owner', in: 'workspace' },
      records: { words: 'created the database' },
      fields: [...confirmedFields, { name: 'mails', operator: 'never' }],
    },
  },
  deleteDatabase: {
    method: 'DELETE',
    path: operatorDatabasePath,
    pathParams: DatabasePath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: {
      200: component(
        { id: 'DeletionProgress', description: 'How far a deletion is.' },
        z.object({
          isDone: field('Whether it is deleted. Otherwise send the request again.', z.boolean()),
          users: field('Users that this request has deleted.', z.int(), { format: 'int32' }),
        }),
      ),
      ...failures('operators_database', 'step_up_required', ...operatorWriteProblems),
    },
    summary: 'Delete a database',
    description:
      'Works for five seconds. Any later request continues. From the first one on, the database is not found.',
    metadata: {
      who: { operator: 'owner', in: 'workspace' },
      confirms: 'always',
      records: { words: 'deleted the database' },
      findsDatabase: true,
    },
  },
  getDatabase: {
    method: 'GET',
    path: operatorDatabasePath,
    pathParams: DatabasePath,
    query: NoQuery,
    responses: { 200: DatabaseDetails, ...failures(...operatorProblems) },
    summary: 'Get a database',
    description: 'Returns a database as currently stored.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  getStatistics: {
    method: 'GET',
    path: `${operatorDatabasePath}/statistics`,
    pathParams: DatabasePath,
    query: StatisticsQuery,
    responses: { 200: Statistics, ...failures(...operatorProblems) },
    summary: 'Get the counts of the last days',
    description: 'Servers count in memory and add their counts every minute.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
  getSettings: {
    method: 'GET',
    path: `${operatorDatabasePath}/settings`,
    pathParams: DatabasePath,
    query: NoQuery,
    responses: { 200: SettingList, ...failures(...operatorProblems) },
    summary: 'Get the settings of a database',
    description: 'The response has an ETag for `changeSettings`.',
    metadata: { who: { operator: 'member', in: 'workspace' }, changeable: ['values'] },
  },
  changeSettings: {
    method: 'PATCH',
    path: `${operatorDatabasePath}/settings`,
    pathParams: DatabasePath,
    headers: IfMatchHeaders.extend(ConfirmationHeaders.shape),
    body: ChangeSettingsBody,
    responses: {
      200: ChangedSettings,
      ...failures(
        'role_in_use',
        'passkeys_in_use',
        'webhook_missing',
        'step_up_required',
        'precondition_failed',
        ...operatorWriteProblems,
      ),
    },
    summary: 'Change settings of a database',
    description:
      'Servers apply them within 5 seconds. A setting with `confirms` needs a confirmation. The first URL of a webhook creates its secret, and each URL of a sign-up hook a new one. They are shown once.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      records: { words: 'changed settings' },
      fields: [
        ...confirmedFields,
        { name: 'mails', operator: 'never' },
        { name: 'force', operator: 'never' },
        { name: 'newWebhookSecret', operator: 'never' },
      ],
      changeable: ['values'],
    },
  },
} satisfies DescribedRoutes)
