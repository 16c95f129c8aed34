import { loadTwins } from '../../src/runtime/runtime.ts';

// the runtime and the twins: any test may create a crowd, with `backend: 'cpu'` or without
await loadTwins();
