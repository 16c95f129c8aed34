import '../style/base.css';
import '../style/controls.css';
import './bench.css';
import { startPage } from '../guard.ts';

startPage(async () => (await import('./start.tsx')).start);
