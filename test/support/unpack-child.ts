// A process that unpacks what its argument says: run, several at once, by unpack.test.ts.
import { unpackOnce, type Unpacking } from '../../src/node/software-adapter/unpack.ts';

console.log('started');
console.log(`unpacked ${await unpackOnce(JSON.parse(process.argv[2] ?? '') as Unpacking)}`);
