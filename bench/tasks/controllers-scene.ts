import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ControllerModel, LayerModel } from '../../src/asset/controller/model.ts';
import type { Character } from '../../src/asset/character.ts';
import { packCharacter } from '../../src/asset/pack/index.ts';
import { joinTables, type CrowdTables } from '../../src/frame/types.ts';
import { importGltf } from '../../src/import/index.ts';
import { LEGIONARY, RAIDER, soldierController } from '../../src/render/soldier.ts';

/** What is left out of the battle's controller, to see what it costs. */
export type Without = 'tree' | 'events' | 'second layer';

/** The battle's two characters, their controllers bound, and the tables that a crowd of both runs on. */
export interface SoldierScene {
  readonly characters: readonly Character[];
  readonly tables: CrowdTables;
}

type Models = readonly Awaited<ReturnType<typeof importGltf>>[];

/** @param folder Where legionary.glb and raider.glb are. */
export function loadSoldiers(folder: string): Promise<Models> {
  return Promise.all(
    ['legionary', 'raider'].map((name) => {
      return importGltf({ name, bytes: readFileSync(path.join(folder, `${name}.glb`)) });
    }),
  );
}

export function soldierScene(models: Models, without: readonly Without[] = []): SoldierScene {
  const characters = models.map((model, index) => {
    const controller = reduce(soldierController(index === 0 ? LEGIONARY : RAIDER), without);
    return packCharacter(model, { controller });
  });
  return { characters, tables: joinTables(characters, { serialPoses: false, layers: false }) };
}

function reduce(model: ControllerModel, without: readonly Without[]): ControllerModel {
  let { layers, clips } = model;
  if (without.includes('second layer')) layers = layers.slice(0, 1);
  if (without.includes('tree')) layers = layers.map(withoutTree);
  if (without.includes('events')) {
    clips = Object.fromEntries(Object.entries(clips ?? {}).map(([name, facts]) => [name, { ...facts, events: [] }]));
  }
  return { ...model, layers, ...(clips ? { clips } : {}) };
}

function withoutTree(layer: LayerModel): LayerModel {
  const move = layer.machine?.states.Move;
  if (!layer.machine || !move) return layer;
  return {
    ...layer,
    machine: { ...layer.machine, states: { ...layer.machine.states, Move: { ...move, motion: 'walk' } } },
  };
}
