import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { findPackage } from '../../src/node/software-adapter/packages.ts';
import { unpackOnce } from '../../src/node/software-adapter/unpack.ts';

export const PACKAGE = '@sparticuz/chromium';

/** All of these are needed for WebGPU on SwiftShader in a headless Chromium that runs without a sandbox. */
const WEBGPU_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--ignore-gpu-blocklist',
  '--use-angle=swiftshader',
  '--disable-gpu-sandbox',
  '--use-vulkan=swiftshader',
  '--enable-features=Vulkan',
];

/** Without these Chromium looks for updates and services; the last makes any name but this machine's unknown. */
const OFFLINE_FLAGS: readonly string[] = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

let launched: Promise<Browser> | undefined;

/**
 * The Chromium of the package `@sparticuz/chromium`, headless, with WebGPU on SwiftShader and without a network.
 * Never a browser of the system's: one version everywhere. One per process, which ends with it.
 */
export function openBrowser(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

async function launch(): Promise<Browser> {
  const folder = await unpackChromium();
  return chromium.launch({
    executablePath: path.join(folder, 'chromium'),
    args: [...WEBGPU_FLAGS, ...OFFLINE_FLAGS],
    env: {
      ...process.env,
      // the package brings shared libraries and fonts, which a bare system lacks; its configuration expects /opt/fonts
      LD_LIBRARY_PATH: [path.join(folder, 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_SYSROOT: folder,
      FONTCONFIG_PATH: '/opt',
    },
  });
}

/** Not the package's own `executablePath()`: that takes whatever an older version left in the temporary folder. */
async function unpackChromium(): Promise<string> {
  const found = findPackage(PACKAGE);
  if (!found) throw new Error(`the package ${PACKAGE} is not installed`);
  const archive = (name: string, into?: string) => ({
    file: path.join(found.folder, 'bin', name),
    ...(into !== undefined && { into }),
  });
  return unpackOnce({
    name: `chromium-${found.version}`,
    archives: [
      archive('chromium.br'),
      archive('swiftshader.tar.br'), // next to the program, where it looks for its graphics libraries
      archive('al2023.tar.br'),
      archive('fonts.tar.br', 'opt'),
    ],
  });
}
