import { render } from 'preact';

render(<main>Maniple</main>, document.querySelector('#app')!);
