import { spawnSync } from 'node:child_process'
import { chromium } from 'playwright-core'

/** Returns the path of the installed Chromium, or an empty string. */
export const findChromium = () =>
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
    .map((name) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout?.trim())
    .find(Boolean) ?? ''

/** Starts headless Chromium with an empty profile and without background requests. */
export const launchChromium = (executablePath: string) =>
  chromium.launch({
    executablePath,
    // The sandbox does not work as root and in many containers. All pages are our own.
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
