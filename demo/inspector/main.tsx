import { render } from 'preact';
import { App } from './app.tsx';
import './inspector.css';

render(<App />, document.querySelector('#app')!);
