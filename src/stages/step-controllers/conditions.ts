import type { ControllerView } from '../../controller/eval/controller-view.ts';
import type { Parameters } from '../../controller/eval/motion.ts';
import {
  CONDITION_AT_LEAST,
  CONDITION_BOOL,
  CONDITION_CONSUMES,
  CONDITION_EQUALS,
  CONDITION_GREATER,
  CONDITION_INT,
  CONDITION_LESS,
  CONDITION_NOT_EQUALS,
  CONDITION_TRIGGER,
  DESTINATION_SELECTOR,
} from '../../controller/tables.ts';
import { SELECTOR_HOPS } from './layout.ts';

const word = new Uint32Array(1);
const wordAsFloat = new Float32Array(word.buffer);
const wordAsInt = new Int32Array(word.buffer);

/** Tests all conditions of a run. Also returns the triggers that they would use up. */
export function holds(
  controller: Pick<ControllerView, 'conditions'>,
  conditions: number,
  parameters: Parameters,
  triggers: number,
): { held: boolean; consumed: number } {
  let consumed = 0;
  for (const [condition, operand] of controller.conditions(conditions)) {
    if (!holdsOne(condition, operand, parameters, triggers)) return { held: false, consumed: 0 };
    if (condition & CONDITION_CONSUMES) consumed |= 1 << (condition >>> 16);
  }
  return { held: true, consumed };
}

/** Returns true if all conditions of a run hold. Allocates nothing. */
export function isHeld(
  controller: ControllerView,
  conditions: number,
  parameters: Parameters,
  triggers: number,
): boolean {
  const { words } = controller;
  const first = controller.conditionWord(conditions);
  for (let at = first; at < first + 2 * (conditions >>> 24); at += 2) {
    if (!holdsOne(words[at]!, words[at + 1]!, parameters, triggers)) return false;
  }
  return true;
}

function holdsOne(condition: number, operand: number, parameters: Parameters, triggers: number): boolean {
  const operator = condition & 0xff;
  const place = condition >>> 16;
  if (operator === CONDITION_TRIGGER) return ((operand >>> ((triggers >>> place) & 1)) & 1) === 1;
  if (operator === CONDITION_BOOL) return ((operand >>> Number(parameters.int(place) !== 0)) & 1) === 1;
  word[0] = operand;
  if (operator & CONDITION_INT) return compare(operator - CONDITION_INT, parameters.int(place), wordAsInt[0]!);
  const value = parameters.float(place);
  return compare(operator, Number.isNaN(value) ? 0 : value, wordAsFloat[0]!);
}

function compare(operator: number, value: number, threshold: number): boolean {
  switch (operator) {
    case CONDITION_GREATER:
      return value > threshold;
    case CONDITION_LESS:
      return value < threshold;
    case CONDITION_EQUALS:
      return value === threshold;
    case CONDITION_NOT_EQUALS:
      return value !== threshold;
    case CONDITION_AT_LEAST:
      return value >= threshold;
    default:
      return value <= threshold;
  }
}

/** The state that a destination leads to with these parameters, and the triggers that the way there uses up. */
export function resolveDestination(
  controller: ControllerView,
  destination: number,
  parameters: Parameters,
  triggers: number,
): { state: number; consumed: number } {
  let consumed = 0;
  let at = destination;
  let fallback = 0;
  for (let hop = 0; hop < SELECTOR_HOPS && at & DESTINATION_SELECTOR; hop++) {
    const entries = controller.selector(at);
    ({ fallback } = entries);
    for (const entry of entries) {
      const way = holds(controller, entry.conditions, parameters, triggers);
      if (!way.held) continue;
      consumed |= way.consumed;
      at = entry.destination;
      break;
    }
  }
  return { state: at & DESTINATION_SELECTOR ? fallback : at, consumed };
}
