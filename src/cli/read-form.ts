import { error, type Issue, type IssueCode, ManipleError, reasonOf } from '../errors.ts';
import { readValue, type Rule } from '../forms/rules.ts';

/** Problems that are worth listing. */
export const ISSUE_LIMIT = 20;

/** How problems of a file are reported. */
export interface FormOptions {
  readonly code: IssueCode;
  /** The file's name, in front of all paths. */
  readonly file?: string;
  readonly suggestion?: string;
}

/** The value of a JSON text. @throws ManipleError with the code, if it is not JSON */
export function parseJson(text: string, { code, file = '', suggestion }: FormOptions): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const message = `Not valid JSON: ${reasonOf(thrown)}.`;
    throw new ManipleError(error(code, file, message, suggestion));
  }
}

/** Reads a value by a rule. @throws ManipleError with the code: the first twenty problems, each with its place */
export function readForm<T>(value: unknown, rule: Rule<T>, { code, file, suggestion }: FormOptions): T {
  const issues: Issue[] = [];
  const refuse = (path: string, message: string): void => {
    const place = file === undefined ? path : path === '' ? file : `${file}:${path}`;
    issues.push(error(code, place, message, suggestion));
    if (issues.length >= ISSUE_LIMIT) throw new ManipleError(issues);
  };
  const read = readValue(rule, value, refuse);
  if (issues.length > 0) throw new ManipleError(issues);
  return read!;
}
