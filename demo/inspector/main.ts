import './inspector.css';
import { startPage } from '../guard.ts';

startPage(async () => (await import('./start.tsx')).start);
