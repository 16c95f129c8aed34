import * as z from 'zod/mini';
import {
  type ClipFacts,
  type ConditionModel,
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type EntryModel,
  type EventModel,
  type LayerModel,
  type MachineModel,
  type MotionModel,
  type ParameterModel,
  type StateModel,
  type SyncModel,
  type TransitionModel,
  type TreeModel,
} from './model.ts';
import { CONTROLLER_LIMITS } from './parse-limits.ts';

// The written form of a controller, for readers and for editors. It uses the small build of zod, and the runtime's
// entry does not load it. It has no rules about resolving names: compiling a controller checks those.

/**
 * Texts for schemas/controller.schema.json about fields and forms, in addition to their types. `id` gives a form a
 * definition of its own there. Rules that are checked elsewhere can be included too.
 */
export const descriptions: z.core.$ZodRegistry<Said> = z.registry();

type Said = { readonly description: string; readonly id?: string } & Rules;

interface Rules {
  readonly maxProperties?: number;
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
}

/** A required field. */
function must<T extends z.ZodMiniType>(schema: T, description: string, rules: Rules = {}): T {
  const named = schema.clone() as T;
  descriptions.add(named, { description, ...rules });
  return named;
}

/** An optional field. An explicit undefined is rejected. */
function may<T extends z.ZodMiniType>(schema: T, description: string, rules: Rules = {}): z.ZodMiniExactOptional<T> {
  const optional = z.exactOptional(schema);
  descriptions.add(optional, { description, ...rules });
  return optional;
}

/** An object of known fields, which the error for an unknown field lists. */
function form<T extends z.core.$ZodShape>(shape: T): z.ZodMiniObject<z.core.util.Writeable<T>, z.core.$strict> {
  const error = ({ code }: { readonly code: string }) =>
    code === 'unrecognized_keys' ? Object.keys(shape).join(', ') : undefined;
  return z.strictObject(shape, { error });
}

function define<T extends z.ZodMiniType>(id: string, description: string, schema: T, rules: Rules = {}): T {
  descriptions.add(schema, { id, description, ...rules });
  return schema;
}

const { name: NAME, path: PATH, conditions, children, layers, events } = CONTROLLER_LIMITS;
const name = z.string().check(z.maxLength(NAME));
/** A state or a machine. Paths join these with dots. */
const partOfPath = z.string().check(z.maxLength(NAME), z.regex(/^[^.]+$/));
const path = z.string().check(z.maxLength(PATH));
const number = z.number();
const share = z.number().check(z.minimum(0), z.maximum(1));
const flag = z.boolean();
const parameter = name;

const floatParameter = form({
  type: must(z.literal('float'), 'A number.'),
  default: may(number, 'Value at start. Default 0.'),
});
const intParameter = form({
  type: must(z.literal('int'), 'A whole number.'),
  default: may(z.int32(), 'Value at start. Default 0.'),
});
const switchParameter = form({
  type: must(z.enum(['bool', 'trigger']), 'True or false; a trigger is cleared by the transition that uses it.'),
  default: may(flag, 'Whether it is set at start. Default false.'),
});
const parameterModel = define(
  'parameter',
  'A value that the game sets for each character.',
  z.discriminatedUnion('type', [floatParameter, intParameter, switchParameter]),
);

/**
 * Has at most one comparison. All comparisons share one form, because the forms of a union are tried in turn, to any
 * depth.
 */
const conditionForm = form({
  parameter: must(parameter, 'The parameter that is compared.'),
  is: may(flag, 'Whether it has to be true (set, other than 0) or not. Default true.'),
  greater: may(number, 'Holds above this number.'),
  less: may(number, 'Holds below this number.'),
  equals: may(number, 'Holds at exactly this number.'),
  notEquals: may(number, 'Holds at any other number.'),
  atLeast: may(number, 'Holds at this number and above.'),
  atMost: may(number, 'Holds at this number and below.'),
}).check(
  z.refine((condition) => Object.keys(condition).length <= 2, { error: 'A condition has at most one comparison.' }),
);
const conditionModel = define(
  'condition',
  'A test of one parameter. Without a comparison: that it is true (set, other than 0).',
  conditionForm as unknown as z.ZodMiniType<ConditionModel, ConditionModel>,
  { maxProperties: 2 },
);

/** Requires one of the first three. */
const way = {
  to: may(path, 'Path of the state that it leads to: `Idle`, `Combat.Attack`.'),
  toMachine: may(path, 'Path of the machine that it leads into.'),
  toExit: may(z.literal(true), 'Leads out of the machine that contains it.'),
  when: may(z.array(conditionModel).check(z.maxLength(conditions)), 'Conditions; all have to hold. Default: none.'),
};
const oneDestination = z.refine<{ readonly to?: string; readonly toMachine?: string; readonly toExit?: true }>(
  ({ to, toMachine, toExit }) => [to, toMachine, toExit].filter((place) => place !== undefined).length === 1,
  { error: 'Expected one of `to`, `toMachine` and `toExit`.' },
);
const ONE_DESTINATION = { oneOf: [{ required: ['to'] }, { required: ['toMachine'] }, { required: ['toExit'] }] };

const entryForm = form(way).check(oneDestination);
const entryModel = define(
  'entry',
  'A way that takes no time.',
  entryForm as unknown as z.ZodMiniType<EntryModel, EntryModel>,
  ONE_DESTINATION,
);

const transitionForm = form({
  ...way,
  exitTime: may(
    number,
    'Cycles of the source: up to 1 it recurs in every cycle, above 1 it occurs once. Default: none.',
  ),
  duration: may(number, 'How long the blend takes. Default 0: at once.'),
  fixed: may(flag, 'Whether `duration` is in seconds or in cycles of the source. Default true: seconds.'),
  offset: may(number, 'Phase that the destination starts at. Default 0.'),
  interruption: may(
    z.enum(['none', 'current', 'next', 'currentThenNext', 'nextThenCurrent']),
    'Transitions that may interrupt this one, in addition to those from any state. Default "none".',
  ),
  ordered: may(flag, 'In the list that contains this transition, only those above it may interrupt it. Default true.'),
  toSelf: may(flag, 'A transition from any state may lead to the current state. Default true.'),
}).check(oneDestination);
const transitionModel = define(
  'transition',
  'A blend from one state to another; it needs a condition or an exit time.',
  transitionForm as unknown as z.ZodMiniType<TransitionModel, TransitionModel>,
  ONE_DESTINATION,
);
const transitions = z.array(transitionModel);

// trees contain trees, machines contain machines: these types are written out because they cannot be inferred through
// themselves
const innerMotion = z.lazy((): z.ZodMiniType<MotionModel, MotionModel> => motionModel);
const innerMachine = z.lazy((): z.ZodMiniType<MachineModel, MachineModel> => machineModel);

const child = {
  motion: may(innerMotion, 'Motion of the child. Default: nothing, as if the child were not there.'),
  timeScale: may(number, 'Divides its length; negative plays it mirrored in time, 0 holds its begin. Default 1.'),
  cycleOffset: may(number, 'Added to the phase of looping clips: a fraction. Default 0.'),
  mirror: may(flag, 'With left and right exchanged. Default false.'),
};
const treeName = { name: may(name, 'For people.') };
const treeModel = define(
  'tree',
  `Weighted motions: at most ${children} children, ${CONTROLLER_LIMITS.trees} levels and 32 clips in all.`,
  z.discriminatedUnion('blend', [
    form({
      ...treeName,
      blend: must(z.literal('1d'), 'Between the two children with positions around the parameter.'),
      parameter: must(parameter, 'The parameter that chooses.'),
      children: listOfChildren({ ...child, at: must(number, 'Where the child has all the weight.') }),
    }),
    form({
      ...treeName,
      blend: must(
        z.enum(['directional', 'freeformDirectional', 'freeformCartesian']),
        'In the plane: one child per direction; several per direction; or anywhere.',
      ),
      parameters: must(z.tuple([parameter, parameter]), 'The parameters across and up.'),
      children: listOfChildren({
        ...child,
        at: must(z.tuple([number, number]), 'Where the child has all the weight.'),
      }),
    }),
    form({
      ...treeName,
      blend: must(z.literal('direct'), 'Each child has a parameter for its weight.'),
      normalized: may(flag, 'Divide weights by their sum. Default false.'),
      children: listOfChildren({ ...child, weightParameter: must(parameter, 'The parameter that is its weight.') }),
    }),
  ]),
);
const motionModel = define(
  'motion',
  'A clip, by reference (its name; `guid:fileID` in Unity files), or a blend tree.',
  z.union([name, treeModel]),
);

function listOfChildren<T extends z.core.$ZodShape>(
  shape: T,
): z.ZodMiniArray<z.ZodMiniObject<z.core.util.Writeable<T>, z.core.$strict>> {
  return must(z.array(form(shape)).check(z.maxLength(children)), 'Motions to blend.');
}

const stateModel = define(
  'state',
  'Plays a motion until a transition leads on.',
  form({
    motion: may(motionModel, 'Motion of the state. Default: nothing; layers below show through.'),
    speed: may(number, 'Cycles advance this many times as fast; negative plays backwards. Default 1.'),
    speedParameter: may(parameter, 'A float parameter that multiplies `speed`.'),
    timeParameter: may(parameter, 'A float parameter that is the phase to show, in place of the clock.'),
    cycleOffset: may(number, 'Added to the phase of looping clips: a fraction. Default 0.'),
    cycleOffsetParameter: may(parameter, 'A float parameter in place of `cycleOffset`.'),
    mirror: may(flag, 'With left and right exchanged. Default false.'),
    mirrorParameter: may(parameter, 'A bool parameter in place of `mirror`.'),
    transitions: may(transitions, 'In the order in which they are tried.'),
  }),
);

const entries = z.array(entryModel);
const machineModel = define(
  'machine',
  'States, and machines inside. A path names a state from the root machine down: `Idle`, `Combat.Attack`.',
  form({
    default: may(path, 'Path of the state that it begins in. Default: an empty state, named by the machine’s path.'),
    entry: may(entries, 'Other states to begin in: the first with conditions that hold.'),
    states: must(z.record(partOfPath, stateModel), 'By name, without dots.'),
    machines: may(z.record(partOfPath, innerMachine), 'Machines inside this one, by name, without dots.'),
    any: may(transitions, 'Transitions from any state, tried before those of states. Only on the root machine.'),
    exits: may(
      entries,
      'Where a machine inside another goes when it is left: the first that holds; else the outer machine is entered.',
    ),
  }),
);

const syncModel = form({
  layer: must(name, 'Name of the layer that has the machine.'),
  timing: may(flag, 'Whether this layer’s lengths count, by its weight, in the machine’s clocks. Default false.'),
  motions: must(z.record(path, motionModel), 'By path of the state; a state that is not listed has no motion.'),
});

const layerModel = define(
  'layer',
  'A machine, and how its pose is laid over the layers below. It has `machine` or `sync`, not both.',
  form({
    name: must(name, 'Names the layer in calls and in `sync`.'),
    blend: may(z.enum(['override', 'additive']), 'Laid over what is below, or added to it. Default "override".'),
    weight: may(share, '0 to 1. Default 1; the first layer always has 1.'),
    weightParameter: may(parameter, 'A float parameter that replaces `weight`, clamped to 0 … 1.'),
    mask: may(
      z.record(path, share),
      'Weights by joint: a path from below the root (`Hips/Spine`) or a name; a final `/**` adds all joints below. `humanoid:leftArm` is a part of a body. Later entries win, joints not named have 0. Default: all joints.',
    ),
    machine: may(machineModel, 'A machine of its own.'),
    sync: may(syncModel, 'The machine of another layer, with other motions.'),
  }).check(
    z.refine(({ machine, sync }) => (machine === undefined) !== (sync === undefined), {
      error: 'A layer has either `machine` or `sync`.',
    }),
  ),
  { oneOf: [{ required: ['machine'] }, { required: ['sync'] }] },
);

const eventModel = form({
  name: must(name, 'Name that listeners receive.'),
  time: must(number, 'Seconds from the clip’s begin.'),
  number: may(number, 'Handed to listeners as it is.'),
  integer: may(z.int32(), 'Handed to listeners as it is.'),
  text: may(path, 'Handed to listeners as it is.'),
});

const clipFacts = define(
  'clip',
  'Facts about a clip, apart from its keys. They win over those of the character’s clip.',
  form({
    length: may(number.check(z.minimum(0)), 'Seconds. Default: the clip’s own; 1 for a missing clip. 0 counts as 1.'),
    loops: may(flag, 'Default: the clip’s own; true for a missing clip.'),
    cycleOffset: may(number, 'Added to the phase of a looping clip: a fraction of it. Default 0.'),
    mirror: may(flag, 'Plays with left and right exchanged. Default false.'),
    events: may(
      z.array(eventModel).check(z.maxLength(events)),
      'Moments to report to listeners. Default: the clip’s own.',
    ),
    reference: may(
      form({
        clip: must(name, 'The clip that the pose is taken from.'),
        time: may(number, 'Seconds. Default 0.'),
      }),
      'The pose that additive layers subtract. Default: the clip’s own first frame.',
    ),
  }),
);

const schema = form({
  format: must(z.literal(CONTROLLER_FORMAT), 'Kind of the file.'),
  version: must(z.literal(CONTROLLER_VERSION), 'Version of this form.'),
  name: must(name, 'For people and messages.'),
  parameters: must(z.record(parameter, parameterModel), 'By name.', { maxProperties: CONTROLLER_LIMITS.parameters }),
  layers: must(
    z.array(layerModel).check(z.minLength(1), z.maxLength(layers)),
    'Bottom-up; the first always has weight 1 and needs a machine of its own.',
  ),
  clips: may(z.record(name, clipFacts), 'Facts about clips apart from their keys, by reference.', {
    maxProperties: CONTROLLER_LIMITS.clips,
  }),
  triggerScope: may(
    z.enum(['each', 'first']),
    'Users of a trigger in one update: each machine once, or only the first that uses it. Default "each".',
  ),
  latchedExit: may(
    flag,
    'Exit times hold whenever the clock is at or after them, not only when it crosses them. Default false.',
  ),
  blendedEvents: may(
    z.enum(['all', 'heaviest']),
    'Clips of a blend tree that fire an event of one name: all with weight, or only the heaviest. Default "all".',
  ),
});

/** A controller in the form that files have. */
export type ControllerForm = Omit<ControllerModel, 'issues'>;

// The schema's types and those of model.ts are written separately. The compiler keeps them equal. A value that the
// schema accepts is a controller (the assignment). The schema accepts every controller, and lacks no field, not even an
// optional one. They are compared piece by piece, because the compiler compares recursive types only a few levels deep.
type Same<Form, Schema> = [Written<Form>, Full<Form>, Full<Schema>] extends [Schema, Full<Schema>, Full<Form>]
  ? true
  : false;
type Written<T> = T extends object ? { -readonly [K in keyof T]: Written<T[K]> } : T;
type Full<T> = T extends readonly unknown[]
  ? { -readonly [K in keyof T]: Full<T[K]> }
  : T extends object
    ? { -readonly [K in keyof T as [Exclude<T[K], undefined>] extends [never] ? never : K]-?: Full<T[K]> }
    : T;
/** The fields of all forms of a union, as one form. */
type Merged<T> = { [K in Fields<T>]: T extends { readonly [F in K]?: infer V } ? Exclude<V, undefined> : never };
type Fields<T> = T extends unknown ? keyof T : never;
type Pieces = [
  Same<ParameterModel, z.output<typeof parameterModel>>,
  Same<Merged<ConditionModel>, z.output<typeof conditionForm>>,
  Same<Merged<EntryModel>, z.output<typeof entryForm>>,
  Same<Merged<TransitionModel>, z.output<typeof transitionForm>>,
  Same<TreeModel, z.output<typeof treeModel>>,
  Same<MotionModel, z.output<typeof motionModel>>,
  Same<StateModel, z.output<typeof stateModel>>,
  Same<MachineModel, z.output<typeof machineModel>>,
  Same<SyncModel, z.output<typeof syncModel>>,
  Same<LayerModel, z.output<typeof layerModel>>,
  Same<EventModel, z.output<typeof eventModel>>,
  Same<ClipFacts, z.output<typeof clipFacts>>,
  Same<ControllerForm, z.output<typeof schema>>,
];

/** Checks a controller's shape: fields, types and ranges. Does not resolve names, and does not check totals. */
export const controllerSchema: z.ZodMiniType<ControllerForm> = schema satisfies z.ZodMiniType<
  Pieces[number] extends true ? ControllerForm : never
>;

/** One problem that a schema found. */
export type SchemaProblem = z.core.$ZodIssue;

/**
 * Problems that the schema finds in a value; undefined without any.
 *
 * @param first Stop each list at its first wrong element.
 * @throws RangeError where there are over a hundred thousand problems: zod passes them on as arguments
 */
export function schemaProblems(value: unknown, first: boolean): readonly SchemaProblem[] | undefined {
  const context: z.core.ParseContextInternal<SchemaProblem> = { abortEarly: first };
  return controllerSchema.safeParse(value, context).error?.issues;
}
