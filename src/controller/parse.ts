import { error, fail, type Issue, ManipleError, quoted } from '../errors.ts';
import { describe, isObject } from '../forms/rules.ts';
import { CONTROLLER_FORMAT, CONTROLLER_VERSION, type ControllerModel } from './model.ts';
import { issuesOfProblems, REFERENCE } from './parse-issues.ts';
import { limitIssues } from './parse-limits.ts';
import { parseText, plainCopy, PROBLEM_LIMIT } from './parse-text.ts';
import { type ControllerForm, type SchemaProblem, schemaProblems } from './schema.ts';

/**
 * Reads the JSON form of a controller (docs/controllers.md): a text, its UTF-8 bytes, or a value that is already
 * parsed. Checks shape, types, ranges and sizes. Names are resolved when it is compiled. Objects of the result have no
 * prototype. A `$schema` next to `format` is allowed and left out.
 *
 * @param name The controller's name if the form has none.
 * @throws ManipleError CONTROLLER_INVALID, CONTROLLER_VERSION, CONTROLLER_LIMIT: the first hundred problems, each with
 * a JSON pointer as its path, and the number of further ones. Of forms with over 32,768 values only the first problems
 */
export function parseController(json: unknown, name?: string): ControllerModel {
  const issues: Issue[] = [];
  const value = typeof json === 'string' || json instanceof Uint8Array ? parseText(json, issues) : json;
  const { copy: form, count } = plainCopy(value, issues);
  checkFormat(form);
  if (typeof form.$schema === 'string') delete form.$schema;
  if (name !== undefined) form.name ??= name;
  const problems = problemsOf(form, count > LISTED_VALUES);
  const known = new Set(issues.map(({ path }) => path));
  const model = form as unknown as ControllerForm;
  const more = problems ? issuesOfProblems(problems.slice(0, PROBLEM_LIMIT), form) : limitIssues(model);
  issues.push(...more.filter(({ path }) => !known.has(path)));
  const unlisted = (problems?.length ?? 0) - PROBLEM_LIMIT;
  if (unlisted > 0) issues.push({ ...error('CONTROLLER_INVALID', '', `${unlisted} more problems.`), severity: 'info' });
  if (issues.length > 0) throw new ManipleError(issues);
  return model;
}

/** In larger forms only the first problems are searched: each value may be one, and each takes memory. */
const LISTED_VALUES = 2 ** 15;

/** Problems that the schema finds; undefined without any. */
function problemsOf(form: unknown, first: boolean): readonly SchemaProblem[] | undefined {
  try {
    return schemaProblems(form, first);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return fail('CONTROLLER_INVALID', '', 'Nearly every value is wrong.', REFERENCE);
  }
}

/**
 * The JSON form of a controller as text, for files. `parseController` reads the same controller from it. `issues` are
 * left out.
 *
 * @throws ManipleError as `parseController`, for a controller that its form cannot hold
 */
export function controllerJson(controller: ControllerModel): string {
  const { issues: _, format, version, ...rest } = { ...controller }; // empty if it is not an object
  return `${formatJson(parseController({ format, version, ...rest }))}\n`;
}

/** Checks the fields that make the rest worth reading. */
function checkFormat(form: unknown): asserts form is Record<string, unknown> {
  const { format, version } = isObject(form) ? form : {};
  if (format !== CONTROLLER_FORMAT) {
    const message = isObject(form)
      ? `Expected "${CONTROLLER_FORMAT}", got ${describe(format)}.`
      : `Expected an object, got ${describe(form)}.`;
    const suggestion = 'Pass the JSON form of a controller. Import Unity files and PlayCanvas graphs first.';
    throw new ManipleError(error('CONTROLLER_INVALID', isObject(form) ? '/format' : '', message, suggestion));
  }
  if (version === CONTROLLER_VERSION) return;
  if (Number.isInteger(version) && (version as number) > CONTROLLER_VERSION) {
    const message = `The form has version ${quoted(version)}; this Maniple reads up to ${CONTROLLER_VERSION}.`;
    throw new ManipleError(error('CONTROLLER_VERSION', '/version', message, 'Update Maniple.'));
  }
  const message = `Expected ${CONTROLLER_VERSION}, got ${describe(version)}.`;
  throw new ManipleError(error('CONTROLLER_INVALID', '/version', message, `Write "version": ${CONTROLLER_VERSION}.`));
}

/** Characters of a line. */
const WIDTH = 100;

/** Formats JSON for people: a value that fits in a line is written in one. `value` contains only JSON values. */
export function formatJson(value: unknown, indent = '', used = 0): string {
  const flat = flatJson(value);
  if (indent.length + used + flat.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((element) => inner + formatJson(element, inner))
    : Object.entries(value).map(([name, element]) => {
        const key = `${JSON.stringify(name)}: `;
        return inner + key + formatJson(element, inner, key.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return lines.length === 0 ? flat : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, element]) => `${JSON.stringify(name)}: ${flatJson(element)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
