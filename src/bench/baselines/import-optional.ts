import { LeavesOut } from '../context.ts';

/**
 * Imports code that needs a package which is not part of Maniple.
 * @throws LeavesOut with the line that installs the package, where it is missing
 */
export async function importOptional<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw thrown;
    throw new LeavesOut(`the package '${name}' is not installed: npm install ${name}`);
  }
}
