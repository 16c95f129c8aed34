import path from 'node:path';

/** Folder with the shared data. Tools use it too, and run without Vitest. */
export const shared: string = path.resolve(process.env.MANIPLE_SHARED ?? '../shared');
