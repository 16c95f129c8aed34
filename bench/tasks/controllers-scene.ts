import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ControllerModel, LayerModel, MotionModel, TreeModel } from '../../src/controller/model.ts';
import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { joinTables, type CrowdTables } from '../../src/frame/tables/crowd-types.ts';
import { importGltf } from '../../src/import/index.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/battle/soldier.ts';

/** Features removed from or changed in the battle's controller, to measure their cost. */
export type Change =
  | 'no tree'
  | 'no events'
  | 'no second layer'
  | '1D tree'
  | 'simple directional tree'
  | 'direct tree'
  | 'nested trees';

/** The battle's two characters, their controllers bound, and the tables that a crowd of both runs on. */
export interface SoldierScene {
  readonly characters: readonly Character[];
  readonly tables: CrowdTables;
}

type PlaneTree = Extract<TreeModel, { readonly parameters: readonly string[] }>;
type Models = readonly Awaited<ReturnType<typeof importGltf>>[];

/** @param folder Where legionary.glb and raider.glb are. */
export function loadSoldiers(folder: string): Promise<Models> {
  return Promise.all(
    ['legionary', 'raider'].map((name) => {
      return importGltf({ name, bytes: readFileSync(path.join(folder, `${name}.glb`)) });
    }),
  );
}

export function soldierScene(models: Models, changes: readonly Change[] = []): SoldierScene {
  const characters = models.map((model, index) => {
    const controller = changed(soldierController(index === 0 ? LEGIONARY : RAIDER), changes);
    return packCharacter(model, { controller });
  });
  return { characters, tables: joinTables(characters, { serialPoses: false, layers: false }) };
}

function changed(model: ControllerModel, changes: readonly Change[]): ControllerModel {
  let { layers, clips } = model;
  if (changes.includes('no second layer')) layers = layers.slice(0, 1);
  if (changes.includes('no tree')) layers = withTree(layers, () => 'walk');
  if (changes.includes('1D tree')) layers = withTree(layers, alongForward);
  if (changes.includes('simple directional tree'))
    layers = withTree(layers, (tree) => ({ ...tree, blend: 'directional' }));
  if (changes.includes('direct tree')) layers = withTree(layers, byWeights);
  if (changes.includes('nested trees')) layers = withTree(layers, nested);
  if (changes.includes('no events')) {
    clips = Object.fromEntries(Object.entries(clips ?? {}).map(([name, facts]) => [name, { ...facts, events: [] }]));
  }
  return { ...model, layers, ...(clips ? { clips } : {}) };
}

function withTree(layers: readonly LayerModel[], change: (tree: PlaneTree) => MotionModel): LayerModel[] {
  return layers.map((layer) => {
    const move = layer.machine?.states.Move;
    if (!layer.machine || !move) return layer;
    const motion = change(move.motion as PlaneTree);
    return { ...layer, machine: { ...layer.machine, states: { ...layer.machine.states, Move: { ...move, motion } } } };
  });
}

/** The children that stand straight ahead or behind. */
function alongForward({ parameters, children }: PlaneTree): MotionModel {
  const ahead = children.flatMap(({ at, ...child }) => (at[0] === 0 ? [{ ...child, at: at[1] }] : []));
  return { blend: '1d', parameter: parameters[1], children: ahead };
}

/** The first four children, each by a parameter of its own. */
function byWeights({ children }: PlaneTree): MotionModel {
  const names = ['alertness', 'pace', 'forward', 'side'];
  return {
    blend: 'direct',
    children: names.map((weightParameter, i) => ({ motion: children[i]!.motion!, weightParameter })),
  };
}

/** A simple directional tree. Its child straight ahead is a 1D tree from walking to running. */
function nested({ parameters, children }: PlaneTree): MotionModel {
  const ahead = children.filter(({ at }) => at[0] === 0 && at[1] > 0);
  const pace = ahead.map(({ at, ...child }) => ({ ...child, at: at[1] }));
  const [first] = ahead;
  return {
    blend: 'directional',
    parameters,
    children: [
      ...children.filter((child) => !ahead.includes(child)),
      { motion: { blend: '1d', parameter: parameters[1], children: pace }, at: first!.at },
    ],
  };
}
