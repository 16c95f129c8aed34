// Raiders advance, and legionaries throw spears at them. Click on a raider to have a spear thrown at him; until you do, they choose
// their own targets. In your own project, import from 'maniple', 'maniple/character' and 'maniple/import'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { addSockets, type CharacterId, createCrowd, type CharacterTransform } from '../../src/index.ts';
import { createView, run } from '../page.ts';
import { raider, thrower } from './controllers.ts';
import { type Flight, fly, pointAlong, thingOf, throwTo, walkingAhead } from './spear.ts';

const THROWERS = 12;
const RAIDERS = 36;
const FLIGHT = 0.9; // seconds a spear is in the air
const PACE = 1.3; // metres that a raider walks per second, which is one cycle of his 'walk'

// oxlint-disable-next-line max-lines-per-function
run(async (page) => {
  const [roman, northman] = await Promise.all(
    ['legionary', 'raider'].map((name) => loadModel(`/characters/${name}.glb`)),
  );
  const legionary = addSockets(packCharacter(roman!, { controller: thrower }), ['Pilum']);
  const enemy = packCharacter(walkingAhead(northman!, PACE), { controller: raider });
  const spear = packCharacter(thingOf(roman!, 'Pilum'));
  const crowd = await createCrowd(page.device, { characters: [legionary, enemy, spear], capacity: 128 });

  const line = crowd.spawn(legionary, {
    count: THROWERS,
    place: (i, at) => {
      at.position.set((i - (THROWERS - 1) / 2) * 1.4, 0, 0);
      at.rotation.setYaw(Math.PI); // their backs to the camera
    },
  });
  line.hideParts('Gladius');
  const start = (i: number, at: CharacterTransform) =>
    at.position.set(((i % 12) - 5.5) * 1.5 + Math.sin(i * 5), 0, -13 - 3 * Math.floor(i / 12) + Math.sin(i * 3));
  const horde = crowd.spawn(enemy, { count: RAIDERS, place: start });
  const hands = line.attach('Pilum');

  // The raiders' clips move them on the GPU. Their positions are read back repeatedly, and are a few frames old.
  let places: readonly CharacterTransform[] = [];
  const standing = new Set(horde.ids.keys());
  let isAsked = false;
  async function look(): Promise<void> {
    if (isAsked) return;
    isAsked = true;
    places = await crowd.readTransforms(horde.ids);
    isAsked = false;
    // Raiders that reach the line unhurt start again.
    places.forEach(({ position }, i) => standing.has(i) && position.z > -3 && horde.teleport(start, [i]));
  }

  // A legionary with free hands throws. When his arm is stretched an event fires, and the position of his hand is read.
  const busy = new Map<number, number>();
  const numberOf = new Map(line.ids.map((id, i) => [id, i]));
  function throwAt(target: number): void {
    const by = [...line.ids.keys()].filter((i) => !busy.has(i)).sort(() => Math.random() - 0.5)[0];
    if (by === undefined || !standing.has(target)) return;
    busy.set(by, target);
    line.trigger('throw', [by]);
  }
  const flights: (Flight & { readonly id: CharacterId })[] = [];
  crowd.on('event', ({ character }) => void release(numberOf.get(character)!).catch(() => {}));
  async function release(by: number): Promise<void> {
    const hand = (await crowd.readSockets(hands))[by];
    const target = places[busy.get(by)!];
    busy.delete(by);
    if (!hand || !target) return;
    const { x, z } = target.position;
    const flight = throwTo([hand[12]!, hand[13]!, hand[14]!], [x, 1.1, z + PACE * FLIGHT], FLIGHT); // where he will be
    const [id] = crowd.spawn(spear, { place: (_, at) => pointAlong(at, flight) }).ids;
    flights.push({ ...flight, id: id! });
    line.hideParts('Pilum', [by]);
    setTimeout(() => line.showParts('Pilum', [by]), 700); // he has another one
  }

  const view = await createView(page, crowd, { min: [-11, 0, -24], max: [11, 3, 2] });
  let isPlayed = false;
  page.canvas.addEventListener('click', (event) => {
    isPlayed = true;
    const found = view.pick(event); // exactly the character which that pixel shows
    void found.then((id) => id !== undefined && throwAt(horde.ids.indexOf(id))).catch(() => {});
  });
  setInterval(() => isPlayed || throwAt(Math.floor(Math.random() * RAIDERS)), 350);

  page.everyFrame((dt, time) => {
    void look().catch(() => {});
    for (const flight of flights) {
      const { id, position } = flight;
      if (position[1] < 0.3) continue; // it sticks in the ground
      fly(flight, dt);
      crowd.setTransform(id, (at) => pointAlong(at, flight));
      const hit = [...standing].find((i) => {
        const at = places[i]?.position;
        return at && position[1] < 1.9 && Math.hypot(at.x - position[0], at.z - position[2]) < 0.5;
      });
      if (hit === undefined) continue;
      horde.trigger('hit', [hit]);
      standing.delete(hit);
      crowd.despawn(id);
      flights.splice(flights.indexOf(flight), 1);
      setTimeout(() => {
        horde.teleport(start, [hit]);
        horde.playState('Come', {}, [hit]);
        standing.add(hit);
      }, 4000);
    }
    if (flights.length > 40) crowd.despawn(flights.shift()!.id);
    view.draw(dt, { eye: [3 * Math.sin(time / 9), 3.4, 7.5], target: [0, 0.8, -6] });
  });
});
