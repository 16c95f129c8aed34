// Writes schemas/controller.schema.json, which editors and other programs check controllers with, from the schema that
// Maniple itself checks them with; with --check it writes nothing and exits 1 where the file is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { toJSONSchema } from 'zod/mini';
import { CONTROLLER_VERSION } from '../src/controller/model.ts';
import { controllerSchema, descriptions } from '../src/controller/schema.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The JSON Schema (draft 2020-12) as the file holds it. */
export async function controllerSchemaText(): Promise<string> {
  const { $schema, properties, ...rest } = toJSONSchema(controllerSchema, { metadata: descriptions, io: 'input' });
  const file = {
    $schema,
    $id: `urn:maniple:controller:${CONTROLLER_VERSION}`,
    title: 'Maniple animator controller',
    description:
      'States, transitions, blend trees and layers of an animated character, as docs/controllers.md describes them. What names stand for, and sums over the whole file, are checked when Maniple reads and compiles it.',
    properties: { $schema: { type: 'string', description: 'For editors; Maniple leaves it out.' }, ...properties },
    ...rest,
  };
  return (await format('controller.schema.json', JSON.stringify(file), { printWidth: 120 })).code;
}

if (process.argv[1] === import.meta.filename) {
  const file = path.join(root, 'schemas/controller.schema.json');
  const text = await controllerSchemaText();
  if (process.argv.includes('--check')) {
    if (readFileSync(file, 'utf8') !== text) {
      console.error('schemas/controller.schema.json is out of date: run npm run controller-schema');
      process.exit(1);
    }
  } else {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
