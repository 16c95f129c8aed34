import type { FileForm } from '../character/file/container.ts';
import { Report } from '../character/file/report.ts';
import type { CompiledController } from '../controller/compile.ts';
import type { IssueCode } from '../errors.ts';
import type { StageName } from '../frame/stages.ts';
import type { TypePlace } from '../frame/tables/crowd-types.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import type { CapturedOptions, FrameCapture } from './capture.ts';

/** The newest version of capture files. Bindings of stages change with Maniple, so other versions are rejected. */
export const CAPTURE_VERSION = 4;

/** The outer form of baked files (`character/file/FORMAT.md`) with other letters. Sections: JSON, CHAR, CTRL, ARRY. */
export const CAPTURE_FORM: FileForm = {
  letters: 'MNCP',
  newest: CAPTURE_VERSION,
  noun: 'frame capture',
  again: 'take the capture again',
  suffix: 'a file of writeCapture',
};

/** Reports every problem of a file with one code, because callers handle all of them alike. */
export class CaptureReport extends Report {
  protected override coded(_: IssueCode): IssueCode {
    return 'CAPTURE_INVALID';
  }

  override corrupt(path: string, message: string): void {
    this.add('CAPTURE_INVALID', path, message, 'Take the capture again.');
  }
}

/** A controller without clip names and events. `section` is the index of its table's section. */
export interface ControllerDescription extends Omit<CompiledController, 'table' | 'clips' | 'events' | 'issues'> {
  readonly section: number;
}

/** An array, stored in a section. */
export interface ArrayDescription {
  readonly name: string;
  readonly section: number;
}

type Mesh = NonNullable<KernelChoice['skinning']>['meshes'][number];

/** The JSON section: everything except tables and arrays, which it refers to by the indices of their sections. */
export interface CaptureDescription extends Omit<FrameCapture, 'options' | 'places' | 'kernels' | 'stages'> {
  readonly characters: readonly {
    readonly section: number;
    readonly skin: CapturedOptions['skin'][number];
    readonly place: TypePlace;
    readonly controller?: ControllerDescription | undefined;
  }[];
  readonly options: Omit<CapturedOptions, 'characters' | 'skin'>;
  readonly kernels: Omit<KernelChoice, 'skinning'> & {
    readonly meshes: readonly (Omit<Mesh, 'character'> & { readonly character: number })[];
  };
  readonly stages: readonly {
    readonly stage: StageName;
    readonly inputs: readonly ArrayDescription[];
    readonly outputs: readonly ArrayDescription[];
  }[];
}
