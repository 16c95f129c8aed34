import { error, type Issue, quoted } from '../errors.ts';
import { describe } from '../forms/rules.ts';
import { join } from './parse-limits.ts';
import type { SchemaProblem } from './schema.ts';

export const REFERENCE = 'docs/controllers.md describes every field.';

/** Converts a schema's problems with `form` to issues, each with its path, the expected and the actual value. */
export function issuesOfProblems(problems: readonly SchemaProblem[], form: unknown): Issue[] {
  return problems.flatMap((problem) => issuesOfProblem(problem, form, []));
}

type Steps = readonly PropertyKey[];

function issuesOfProblem(problem: SchemaProblem, form: unknown, outer: Steps): Issue[] {
  const steps = [...outer, ...problem.path];
  const found = valueAt(form, steps);
  const expected = (what: string, at: Steps = steps): Issue[] => [
    error('CONTROLLER_INVALID', join('', ...at), `Expected ${what}, got ${describe(found)}.`, REFERENCE),
  ];
  switch (problem.code) {
    case 'invalid_type':
      return expected(TYPES[problem.expected] ?? problem.expected);
    case 'invalid_value':
      return expected(oneOf(problem.values));
    case 'too_big':
      if (problem.maximum === 2) return expected(TYPES.tuple!);
      if (problem.origin === 'string' || problem.origin === 'array') return [overLimit(problem, found, steps)];
      return expected(`a number up to ${problem.maximum}`);
    case 'too_small':
      if (problem.origin !== 'array') return expected(`a number of at least ${problem.minimum}`);
      return expected(problem.minimum === 2 ? TYPES.tuple! : 'at least one');
    case 'invalid_format':
      return expected('a name without dots');
    case 'unrecognized_keys':
      return problem.keys.map((key) => {
        const message = `Unknown field ${quoted(key)}.`;
        return error('CONTROLLER_INVALID', join('', ...steps, key), message, `Fields: ${problem.message}.`);
      });
    case 'invalid_key': // of a record: the name itself is wrong
      return problem.issues.flatMap((inner) => {
        const [issue] = issuesOfProblem(inner, problem.path.at(-1), []);
        return issue ? [{ ...issue, path: join('', ...steps) }] : [];
      });
    case 'invalid_union':
      // of a choice by one field, or of a motion, which is a name or a tree
      if ('options' in problem && problem.options) return expected(oneOf(problem.options));
      if (typeof found !== 'object' || Array.isArray(found)) return expected('a string or an object');
      return problem.errors.at(-1)!.flatMap((inner) => issuesOfProblem(inner, form, steps));
    case 'custom':
      return [error('CONTROLLER_INVALID', join('', ...steps), problem.message, REFERENCE)];
    default:
      return expected('something else');
  }
}

function overLimit(problem: SchemaProblem & { readonly code: 'too_big' }, found: unknown, steps: Steps): Issue {
  const { length } = found as { readonly length: number };
  const what = problem.origin === 'string' ? 'characters' : 'elements';
  const message = `${length} ${what}; the limit is ${problem.maximum}.`;
  return error('CONTROLLER_LIMIT', join('', ...steps), message, 'Shorten or split it.');
}

/** The value at a path; undefined if it does not exist. */
function valueAt(form: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[step]
        : undefined,
    form,
  );
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list of two',
  object: 'an object',
  record: 'an object',
};

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => JSON.stringify(value));
  return names.length < 2 ? names.join() : `one of ${names.join(', ')}`;
}
