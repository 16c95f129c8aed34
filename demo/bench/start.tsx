import { render } from 'preact';
import { issuesOf } from '../../src/errors.ts';
import { pageRuns } from '../guard.ts';
import { App } from './app.tsx';
import { issues } from './run.ts';

/** Draws the page. Later errors are listed on it. */
export function start(): void {
  const place = document.querySelector('#app')!;
  place.replaceChildren(); // Preact keeps elements that it did not create
  render(<App />, place);
  pageRuns((thrown) => (issues.value = issuesOf(thrown)));
}
