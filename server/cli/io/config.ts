import { loadConfig } from '../../config.js'
import { readEnvFile, withSecretFiles } from './environment-files.js'

/**
 * Reads the settings from the environment and, where it lacks a variable, from `.env`. Nothing else reads them.
 *
 * @param overrides settings given on the command line
 */
export const readConfig = (overrides: Record<string, string> = {}) =>
  // biome-ignore lint/style/noProcessEnv: read here and handed on as Config
  loadConfig({ ...withSecretFiles({ ...readEnvFile(), ...process.env }), ...overrides })
