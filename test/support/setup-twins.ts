import { loadTwins } from '../../src/frame/twins.ts';

// what `backend: 'cpu'` runs: any test may create such a crowd
await loadTwins();
