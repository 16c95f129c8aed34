import { render } from 'preact';
import './style/base.css';
import './style/controls.css';
import './style/panel.css';
import './style/soldier.css';
import { App } from './ui/app.tsx';

render(<App />, document.querySelector('#app')!);
