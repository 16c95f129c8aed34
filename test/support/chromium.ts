import { findPackage } from '../../src/node/software-adapter/packages.ts';
import { PACKAGE } from './launch-chromium.ts';
import { missing } from './setup.ts';

/** True when tests in a browser have to be skipped: `describe.skipIf(noBrowser())`. */
export function noBrowser(): boolean {
  const supported = process.platform === 'linux' && process.arch === 'x64';
  const why = supported ? `the package ${PACKAGE} is not installed` : `${PACKAGE} is for x64 Linux only`;
  return missing('browser', supported && findPackage(PACKAGE) !== undefined, why);
}
