// Writes schemas/controller.schema.json, which editors and other programs check controllers with, from the schema that
// Maniple itself checks them with; with --check it writes nothing and exits 1 where the file is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toJSONSchema } from 'zod/mini';
import { CONTROLLER_VERSION } from '../src/asset/controller/model.ts';
import { CONTROLLER_LIMITS } from '../src/asset/controller/parse-limits.ts';
import { controllerSchema, descriptions } from '../src/asset/controller/schema.ts';
import { root } from './shader-sources.ts';
