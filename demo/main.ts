import './style/base.css';
import './style/first-view.css';
import './style/controls.css';
import './style/panel.css';
import './style/soldier.css';
import { startPage } from './guard.ts';

startPage(async () => (await import('./ui/start.tsx')).start);
