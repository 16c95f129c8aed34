import { readFile } from 'node:fs/promises';
import type { ControllerModel } from '../asset/controller/model.ts';
import { fail, reasonOf, type Issue } from '../errors.ts';

/** A controller as it was read, and what its file left to be said. */
export interface OpenedController {
  readonly model: ControllerModel;
  readonly issues: readonly Issue[];
}

/** Opens a controller file in the JSON form. @throws ManipleError FILE_…, CONTROLLER_INVALID */
export async function openController(file: string): Promise<OpenedController> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) =>
    thrown.code === 'ENOENT'
      ? fail('FILE_NOT_FOUND', file, 'there is no such file.', 'Check the path.')
      : fail('FILE_UNREADABLE', file, `it cannot be read (${thrown.code}).`, 'Check the path and its permissions.'),
  );
  try {
    return { model: JSON.parse(text) as ControllerModel, issues: [] };
  } catch (thrown) {
    return fail('CONTROLLER_INVALID', file, `is no JSON: ${reasonOf(thrown)}.`);
  }
}
