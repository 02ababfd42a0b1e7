/** Recorded operations in words. */
const phrases: Record<string, string> = {
  addUser: 'added the user',
  changeUser: 'changed the user',
  removeUser: 'deleted the user',
  setUserPassword: 'set the password',
  endUserSessions: 'logged the user out everywhere',
  createUserCode: 'mailed a link',
  unlockUser: 'unlocked the user',
  removeUserIdentity: 'removed an identity',
  removeUserFactors: 'removed the second factors',
  putMember: 'gave the user a role in a tenant',
  removeMember: 'removed the user from a tenant',
  addTenant: 'added the tenant',
  changeTenant: 'changed the tenant',
  removeTenant: 'deleted the tenant',
  inviteMember: 'invited an address',
  revokeInvitation: 'revoked an invitation',
  addOperator: 'added the operator',
  changeOperator: 'changed a right of the operator',
  removeOperator: 'removed the operator',
  createCommandLineCode: 'authorized a command line',
  createCommandLineConfirmation: 'confirmed a command',
  createWorkspace: 'created the workspace',
  createDatabase: 'created the database',
  deleteDatabase: 'deleted the database',
  changeSettings: 'changed settings',
  changeMailSettings: 'changed mail settings',
  rotateKeys: 'rotated the signing keys',
  retireKey: 'retired the signing key',
  createApiKey: 'created an API key',
  rotateApiKey: 'replaced the API key',
  revokeApiKey: 'revoked the API key',
  addConnection: 'added a connection',
  changeConnection: 'changed the connection',
  removeConnection: 'removed the connection',
  checkConnection: 'checked the connection',
  beginImport: 'began an import',
  importUsers: 'imported users',
  checkImport: 'checked an import',
  retryDeliveries: 'retried deliveries',
  dropDeliveries: 'dropped deliveries',
}

const phrasesOfFields: Record<string, string> = {
  'disabled: true': 'disabled the user',
  'disabled: false': 'enabled the user',
  'emailVerified: true': 'marked the address as verified',
}

interface Action {
  action: string
  fields?: string | null
}

/** Shows what an operator has done in words, or the name of the operation. */
export const Phrase = ({ of: { action, fields } }: { of: Action }) => (
  <>
    {(action === 'changeUser' && phrasesOfFields[fields ?? '']) || phrases[action] || <code>{action}</code>}
  </>
)
