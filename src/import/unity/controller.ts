import {
  CONTROLLER_FORMAT,
  CONTROLLER_VERSION,
  type ControllerModel,
  type ParameterModel,
} from '../../controller/model.ts';
import { ManipleError } from '../../errors.ts';
import { quote } from '../model-builder/issue-list.ts';
import { readClip, type UnityClip } from './clip.ts';
import type { Fields, ResolveMotion } from './fields.ts';
import { UNITY_CLASS, UnityFile } from './file.ts';
import { readLayers } from './layers.ts';
import type { UnityMask } from './mask.ts';
import { ControllerScope } from './scope.ts';
import { movedBy, type ResolveMoved, warnOfWriteDefaults } from './write-defaults.ts';

export interface UnityControllerOptions {
  /** Name of the controller. Default: the name in the file. */
  readonly name?: string;
  /** Gives the name of a clip in another file. By default, and where it gives none, the name is `guid:fileID`. */
  readonly resolveMotion?: ResolveMotion;
  /** Gives a layer's mask (`importUnityMask`). Without one, or if it throws, the layer moves all joints, with a warning. */
  readonly resolveMask?: (guid: string, fileID: string) => UnityMask | undefined;
  /**
   * Gives the properties that a clip of another file moves, by its name in the controller. With Write Defaults off, a
   * layer gets a warning only if its states move different properties. An unknown clip counts as different from all
   * others.
   */
  readonly resolveMoved?: ResolveMoved;
  /** Take transitions as if none were muted or solo. Default false. */
  readonly ignoreMuteSolo?: boolean;
}

export interface UnityController {
  /** Its `issues` say what was left out or changed, and where: `Base Layer/Combat.Attack/transitions/2`. */
  readonly controller: ControllerModel;
  /** Clips in the controller's own file that it plays, by their names in the controller. */
  readonly clips: readonly UnityClip[];
}

/**
 * Reads an animator controller (`.controller`, class 91) and everything that it refers to. Other objects in the file
 * are ignored; real files have many.
 *
 * Names that the file uses twice become unique, and dots in names become `_`. Muted and solo transitions are applied.
 * Features without a counterpart here (scripts, IK, Write Defaults off …) are left out with a warning. So are
 * transitions that lead nowhere.
 *
 * @param text The file, saved as text (Force Text). Up to 64 MiB; some 30 ms per MiB.
 * @throws ManipleError UNITY_INVALID, UNITY_LIMIT; UNITY_UNSUPPORTED for files from Unity 4.
 */
export function importUnityController(text: string, options: UnityControllerOptions = {}): UnityController {
  const file = new UnityFile(text);
  const { issues } = file;
  const fields = file.fields(file.main(UNITY_CLASS.controller, 'animator controller'), '');
  const parameters = readParameters(fields);
  const { resolveMotion, resolveMask, ignoreMuteSolo = false } = options;
  const scope = new ControllerScope(file, parameters, resolveMotion, resolveMask, ignoreMuteSolo);
  const layers = readLayers(fields, scope);
  const clips = Array.from(scope.embedded, ([fileID, name]) => readEmbedded(scope, fileID, name));
  const whole = clips.filter((clip) => clip !== undefined);
  const moved = new Map(whole.map((clip) => [clip.name, movedBy(clip)]));
  warnOfWriteDefaults(scope.withoutDefaults, (clip) => moved.get(clip) ?? options.resolveMoved?.(clip), issues);
  issues.throwIfErrors();
  const facts = Object.fromEntries(whole.map(({ name, facts }) => [name, facts] as const));
  return {
    controller: {
      format: CONTROLLER_FORMAT,
      version: CONTROLLER_VERSION,
      name: options.name ?? fields.text('m_Name'),
      parameters: Object.fromEntries(parameters),
      layers,
      ...(whole.length > 0 && { clips: facts }),
      issues: issues.list(),
    },
    clips: whole,
  };
}

const TYPES: Readonly<Record<number, ParameterModel['type']>> = { 1: 'float', 3: 'int', 4: 'bool', 9: 'trigger' };

function readParameters(controller: Fields): Map<string, ParameterModel> {
  const parameters = new Map<string, ParameterModel>();
  for (const fields of controller.maps('m_AnimatorParameters')) {
    const name = fields.text('m_Name');
    const number = fields.number('m_Type', 0);
    const type = TYPES[number];
    if (parameters.has(name)) {
      const message = `a second parameter ${quote(name)} can never be named; it is left out`;
      fields.issues.info('UNITY_DANGLING', fields.path, message);
    } else if (type === undefined) {
      fields.refuse('m_Type', `there is no parameter type ${number}`);
    } else parameters.set(name, readParameter(fields, type));
  }
  return parameters;
}

function readParameter(fields: Fields, type: ParameterModel['type']): ParameterModel {
  if (type === 'float' || type === 'int') {
    const value = fields.number(type === 'float' ? 'm_DefaultFloat' : 'm_DefaultInt', 0);
    return value === 0 ? { type } : { type, default: value };
  }
  return fields.flag('m_DefaultBool', false) ? { type, default: true } : { type };
}

/** A clip of the controller's own file; undefined, with warnings, if it cannot be read. */
function readEmbedded({ file, resolveMotion }: ControllerScope, fileID: string, name: string): UnityClip | undefined {
  try {
    return readClip(file, fileID, { name, ...(resolveMotion && { resolveMotion }) });
  } catch (thrown) {
    if (!(thrown instanceof ManipleError) || thrown.code === 'UNITY_LIMIT') throw thrown;
    for (const { severity, code, path, message } of thrown.issues) {
      if (severity === 'error') file.issues.warn(code, path, `${message} The clip ${quote(name)} is left out.`);
    }
    return undefined;
  }
}
