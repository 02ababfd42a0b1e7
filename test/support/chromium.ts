import { spawnSync } from 'node:child_process'
import { chromium } from 'playwright-core'

/** Path of the system's Chromium; empty where there is none. */
export const findChromium = () =>
  ['chromium', 'chromium-browser', 'google-chrome']
    .map((name) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout?.trim())
    .find(Boolean) ?? ''

/** Starts Chromium without a screen, with an empty profile, asking no host for anything of its own accord. */
export const launchChromium = (executablePath: string) =>
  chromium.launch({
    executablePath,
    // Not to be had by root and in many containers; every page is our own.
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
